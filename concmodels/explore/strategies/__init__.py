"""The strategies: which of the steps that are possible happens next, in one run and from run to run."""
