// The only Vue component: mounts any plain ES module that exports mount(el, args) and returns {push(data), destroy()}.
export default {
  template: "<div></div>",
  props: { module: String, args: Object },
  created() { this.waiting = []; },
  async mounted() {
    const { mount } = await import(this.module);
    if (this.gone) return;
    this.part = await mount(this.$el, this.args || {});
    for (const data of this.waiting.splice(0)) this.part.push?.(data);
  },
  beforeUnmount() { this.gone = true; this.part?.destroy?.(); },
  methods: {
    push(data) { if (this.part) this.part.push?.(data); else this.waiting.push(data); },
  },
};
