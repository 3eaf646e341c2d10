"""What the numbers of worth mean, by method."""

from fieldloop.model.worth import WorthMethod

SCALES = {
    WorthMethod.SMOOTH: "Worth is smoothness: the spectral arc length of the hand's speed, without unit. Below 0; "
    "the nearer to 0, the smoother.",
    WorthMethod.INFLUENCE: "Worth is influence: how much worse the reference learner answers without the episode. "
    "Above 0 it helps, below 0 it harms.",
}
