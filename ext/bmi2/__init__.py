"""The kernels built for popcnt and BMI2; `trickbot.ext` puts this folder on its path."""
