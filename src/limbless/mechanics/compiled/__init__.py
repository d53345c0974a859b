"""What kernels are made of: all that touches numba."""
