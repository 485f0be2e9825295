#include <mpi.h>

// Swift does not see MPI's constants, which are macros with casts.
static inline int cmpi_start(void) {
  int provided;
  return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &provided);
}

static inline int cmpi_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int cmpi_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static inline int cmpi_sum_floats(float *values, int count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static inline int cmpi_sum_doubles(double *values, int count) {
  return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
