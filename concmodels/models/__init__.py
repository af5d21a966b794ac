"""One room per model, the same floor plan in each; `concmodels.load` opens them."""
