# A survey's statistics in R: what a community looks like, with error bars.
#
#   graphldp collect statistics cats --csv > statistics.csv
#   Rscript examples/survey.R statistics.csv survey.pdf
#
# Each row has a name, a value, its standard error, and a 95 % interval from low to high.

given <- commandArgs(trailingOnly = TRUE)
words <- c(of = "character", to = "character", community = "character")
rows <- read.csv(given[1], stringsAsFactors = FALSE, fileEncoding = "UTF-8", colClasses = words, na.strings = "")
rows[is.na(rows)] <- ""
rows[, c("value", "error", "low", "high")] <- lapply(rows[, c("value", "error", "low", "high")], as.numeric)
rows <- rows[rows$community == rows$community[1], ]  # of several communities, the rows of all together

single <- rows[rows$of == "", c("name", "value", "error", "low", "high")]
print(single, digits = 3, row.names = FALSE)

pdf(given[2], width = 9, height = 4.5)
par(mfrow = c(1, 2), mar = c(6, 4, 2, 1))

bars <- rows[rows$name == "share with degree", ]
if (nrow(bars) > 0) {
  at <- barplot(pmax(bars$value, 0), names.arg = bars$of, las = 2, ylim = c(0, max(bars$high)), ylab = "share of users")
  segments(at, bars$low, at, bars$high)
  title("Friends")
}

cells <- rows[rows$name == "friendships between", ]
if (nrow(cells) > 0) {
  groups <- unique(c(cells$of, cells$to))
  mixing <- matrix(NA, length(groups), length(groups), dimnames = list(groups, groups))
  mixing[cbind(cells$of, cells$to)] <- cells$value
  mixing[cbind(cells$to, cells$of)] <- cells$value
  print(round(mixing))
  image(seq_along(groups), seq_along(groups), mixing, axes = FALSE, xlab = "", ylab = "", col = hcl.colors(20, rev = TRUE))
  axis(1, seq_along(groups), groups, las = 2)
  axis(2, seq_along(groups), groups, las = 1)
  title("Friendships between groups")
}
invisible(dev.off())
