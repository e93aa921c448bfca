# Fit yield against rain and temperature, and draw the residuals.
library(ggplot2)
library(dplyr)

harvest <- read.csv("harvest.csv", stringsAsFactors = FALSE)

harvest <- harvest %>%
  filter(!is.na(yield)) %>%
  mutate(rain_cm = rain_mm / 10, year = as.integer(year)) %>%
  group_by(region) %>%
  mutate(relative = yield / mean(yield)) %>%
  ungroup()

model <- lm(relative ~ rain_cm + temperature + factor(region), data = harvest)
print(summary(model))

harvest$residual <- residuals(model)

standard_error <- function(x) {
  sd(x) / sqrt(length(x))
}

by_year <- aggregate(residual ~ year, data = harvest, FUN = standard_error)
colnames(by_year) <- c("year", "error")

plot <- ggplot(harvest, aes(x = rain_cm, y = residual, colour = region)) +
  geom_point(alpha = 0.6) +
  geom_smooth(method = "loess", se = TRUE) +
  labs(title = "Residuals by rain", x = "rain (cm)", y = "residual")

ggsave("residuals.png", plot, width = 16, height = 9, units = "cm")
