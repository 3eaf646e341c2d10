"""Facts that people state, episodes set aside, labels from tables: on the record, and misspelt names refused."""

import pytest
from tests.ingest.lerobot_makers import foreign

from fieldloop.errors import BadInput, Refused, StoreError, UnknownName
from fieldloop.loop.annotate.compare import annotators
from fieldloop.loop.annotate.exchange import import_labels
from fieldloop.loop.audit.audit import audit
from fieldloop.loop.data import check, ingest, relabel
from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.home.episodes import find_episodes
from fieldloop.loop.home.home import show_home
from fieldloop.loop.home.names import Names, find_numbered
from fieldloop.loop.house import setup
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.event import EpisodeAnnotated, EpisodeRelabelled, EpisodeSetAside
from fieldloop.model.finding import Status
from fieldloop.model.incident import Incident
from fieldloop.model.person import Actor, Role
from fieldloop.store import open_shelf, open_store

NOW_NS = 1_760_000_000 * 10**9


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path / "site")
    opened = open_workspace(
        tmp_path / "site", store=open_store("sqlite://"), shelf=open_shelf("memory://"), clock=lambda: NOW_NS
    )
    audit(opened, example=True)
    audit(opened)  # puts the example map in force
    ingest.ingest_logs(opened, (foreign(tmp_path / "set", episodes=3),), set_=("site=gdansk", "lighting=dim"))
    yield opened
    opened.close()


def names(workspace):
    return [episode.name for episode in workspace.store.find(Episode)]


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (("operater=anna",), "Did you mean 'operator'"),
        (("lighting=dimm",), "Did you mean 'dim'"),
        (("site=gdanks",), "Did you mean 'gdansk'"),
        (("site",), "is not a fact"),
        (("site=",), "has no value"),
        (("site=a", "site=b"), "stated twice"),
        (("outcome=perhaps",), "success, failure or unknown"),
    ],
)
def test_a_fact_that_cannot_be_meant_is_refused_before_anything_is_read(here, tmp_path, facts, says):
    with pytest.raises(BadInput, match=says):
        ingest.ingest_logs(here, (tmp_path / "set",), set_=facts)


def test_a_class_of_failure_needs_a_failure(here):
    with pytest.raises(BadInput, match="outcome=failure"):
        relabel.relabel_episodes(here, (names(here)[0],), set_=("failure=grasp",))
    done = relabel.relabel_episodes(here, (names(here)[0],), set_=("outcome=failure", "failure=grasp"))
    assert (done.changed, done.episodes[0].succeeded, done.episodes[0].failure) == (1, False, "grasp")
    assert relabel.relabel_episodes(here, (names(here)[0],), set_=("outcome=failure", "failure=grasp")).changed == 0
    cleared = relabel.relabel_episodes(here, (names(here)[0],), set_=("outcome=unknown",)).episodes[0]
    assert (cleared.succeeded, cleared.failure) == (None, "")
    assert len(list(here.store.events(EpisodeRelabelled))) == 2


def test_what_is_set_aside_is_counted_apart_and_can_be_restored(here):
    first = names(here)[0]
    assert here.store.count(Episode, {"status": [*Status]}) == 3
    relabel.set_episodes_aside(here, (first,), reason="pushed by hand")
    listed = find_episodes(here)
    assert (listed.total, listed.set_aside) == (2, 1)
    assert [one.episode.name for one in find_episodes(here, status="set_aside").episodes] == [first]
    assert first not in {episode.name for episode in check.check(here).episodes}
    assert here.store.count(Episode, {"status": [*Status]}) == 2, "coverage and plans count by status"
    collect = next(stage for stage in show_home(here).stages if stage.key == "collect")
    assert dict(collect.fact.numbers)["aside"] == 1
    here.store.rebuild_tables()
    assert find_episode(here, first).set_aside == "pushed by hand"
    relabel.restore_episodes(here, (first,))
    assert here.store.count(Episode, {"status": [*Status]}) == 3
    with pytest.raises(BadInput, match="State why"):
        relabel.set_episodes_aside(here, (first,), reason=" ")
    with pytest.raises(BadInput, match=r"too short as a reason.*--reason"):
        relabel.set_episodes_aside(here, (first,), reason="x")
    assert len(list(here.store.events(EpisodeSetAside))) == 1


def test_an_episode_is_found_by_name_or_with_its_log(here):
    first = here.store.find(Episode)[0]
    assert find_episode(here, first.name) == find_episode(here, first.id) == find_episode(here, f"set/{first.name}")
    with pytest.raises(UnknownName, match="Did you mean"):
        find_episode(here, first.name + "x")


LABELS = """episode,label,start_s,end_s,annotator,result,failure
{0},approach,0,1,anna,,
{0},grasp,1,1.5,anna,,
{0},,,,anna,failure,drop
{1},approach,0,0.9,bert,,
"""


def test_labels_come_from_a_table_and_replace_the_annotators_earlier_ones(here):
    first, second, _ = names(here)
    text = LABELS.format(first, second)
    done = import_labels.paste_labels(here, text)
    assert (done.annotators, done.episodes, done.annotations, done.results) == (("anna", "bert"), 2, 3, 1)
    import_labels.paste_labels(here, text)
    assert here.store.count(Annotation) == 3
    labelled = find_episode(here, first)
    assert (labelled.succeeded, labelled.failure, labelled.stated[-1].by) == (False, "drop", "anna")
    with pytest.raises(BadInput, match="No two authors labelled the same episode"):
        annotators.compare_annotators(here, ("anna", "bert"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("grasp,1,1.5", "graps,1,1.5", r"line 3: No label called 'graps'. Did you mean 'grasp'"),
        ("grasp,1,1.5", "grasp,1,0.5", "line 3: 'grasp' ends before it begins"),
        ("grasp,1,1.5", "grasp,1,99", r"line 3: .*outside"),
        ("grasp,1,1.5", "grasp,0.5,1.5", "line 3: 'grasp' begins before 'approach' of line 2 has ended"),
        ("grasp,1,1.5", "grasp,one,1.5", "line 3: 'one' is not a number of seconds"),
        ("anna,failure,drop", "anna,success,drop", r"line 4: failure = 'drop' needs result = failure"),
        ("episode,label", "take,label", "column 'episode' is missing"),
    ],
)
def test_a_wrong_row_is_named_by_its_line_and_nothing_is_imported(here, old, new, says):
    first, second, _ = names(here)
    before = here.store.get_last_seq()
    with pytest.raises(BadInput, match=says):
        import_labels.paste_labels(here, LABELS.format(first, second).replace(old, new))
    assert here.store.get_last_seq() == before


def test_the_examples_of_the_template_of_labels_are_never_imported(here):
    with pytest.raises(BadInput, match="no rows but examples"):
        import_labels.paste_labels(here, import_labels.write_label_template(here))
    assert import_labels.paste_labels(here, import_labels.write_label_template(here).replace("# ", "")).annotations == 6


def test_people_read_names_and_may_type_them(full_site):
    known_names = Names(full_site)
    incident = full_site.store.find(Incident)[0]
    assert known_names(incident.policy) in {"p1", "p2"}
    assert known_names("deadbeef" * 8) == ""
    ids = sorted(one.id for one in full_site.store.find(Incident))
    assert find_numbered(full_site, Incident, "incident 1").id == find_numbered(full_site, Incident, "1").id == ids[0]
    with pytest.raises(UnknownName, match="incident"):
        find_numbered(full_site, Incident, "incident 99")


def test_a_protocol_that_cannot_be_read_refuses_a_relabel_before_anything_is_written(here):
    (one, *_) = here.store.find(Episode)
    (here.root / "protocols" / "pick.toml").write_text("[nonsense]\nx = 1\n")
    again = open_workspace(here.root, store=here.store, shelf=here.shelf, clock=lambda: NOW_NS)
    with pytest.raises(BadInput, match="nonsense"):
        relabel.relabel_episodes(again, (one.id,), set_=("operator=zoe", "task=pick"))
    assert here.store.get(Episode, one.id).operator == one.operator


def test_an_annotator_imports_only_own_labels_and_an_engineer_may_name_another(here):
    name = names(here)[0]
    table = f"episode,label,start_s,end_s,annotator\n{name},approach,0,0.5,"
    ann = here.acting_as(Actor("ann-1", Role.ANNOTATOR))
    with pytest.raises(Refused, match="line 2: You are ann-1 and may not write labels of bert"):
        import_labels.paste_labels(ann, f"{table}bert\n")
    assert here.store.count(Annotation) == 0
    assert import_labels.paste_labels(ann, f"{table}\n").annotators == ("ann-1",)
    assert import_labels.paste_labels(ann, f"{table}ann-1\n").annotators == ("ann-1",)
    engineer = here.acting_as(Actor("eva", Role.ENGINEER))
    assert import_labels.paste_labels(engineer, f"{table}bert\n").annotators == ("bert",)
    last = list(here.store.events(EpisodeAnnotated))[-1]
    assert (last.actor, last.event.author) == ("eva", "bert")  # the record names both


def test_an_episode_whose_log_is_missing_is_not_changed_at_all(here, monkeypatch):
    monkeypatch.setattr(type(here.shelf), "has", lambda *_: False)
    before = here.store.get_last_seq()
    with pytest.raises(StoreError, match="set is missing on the shelf, so nothing was changed"):
        relabel.relabel_episodes(here, ("episode_000000",), set_=("operator=bert",))
    assert here.store.get_last_seq() == before
