// Coal's distance between two convex meshes over a whole stream of poses, behind a C interface.
//
// The stream is handed over once, in Coal's own pose type, and a run writes its answers into the
// caller's array, so that neither conversion nor the call boundary is on the clock.

#include <coal/collision_data.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>

#include <memory>
#include <vector>

namespace {

using Mesh = coal::Convex<coal::Triangle>;

// Mirrors `Answer` on the other side.
struct Answer {
  double distance;
  double a[3];
  double b[3];
  unsigned long long features;
};

std::unique_ptr<Mesh> mesh(const double* points, unsigned point_count, const unsigned* triangles,
                           unsigned triangle_count) {
  auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
  for (unsigned i = 0; i < point_count; ++i) {
    vertices->emplace_back(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  }
  auto faces = std::make_shared<std::vector<coal::Triangle>>();
  for (unsigned i = 0; i < triangle_count; ++i) {
    faces->emplace_back(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]);
  }
  auto result = std::make_unique<Mesh>(vertices, point_count, faces, triangle_count);
  result->computeLocalAABB();
  return result;
}

coal::Transform3s pose(const double* numbers) {
  coal::Matrix3s rotation;
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) rotation(row, column) = numbers[3 * column + row];
  }
  return {rotation, coal::Vec3s(numbers[9], numbers[10], numbers[11])};
}

struct Pair {
  std::unique_ptr<Mesh> a, b;
  std::unique_ptr<coal::ComputeDistance> query;
  coal::DistanceRequest request;
  coal::DistanceResult result;
  bool cached;
  std::vector<coal::Transform3s> poses_a, poses_b;
};

}  // namespace

extern "C" {

// `guess`: 0 Coal's default, 1 cached from answer to answer, 2 from the bounding boxes.
// `tolerance` 0 keeps Coal's own tolerances.
Pair* coal_pair_new(const double* points, unsigned point_count, const unsigned* triangles,
                    unsigned triangle_count, int guess, double tolerance, bool penetration) {
  auto pair = std::make_unique<Pair>();
  pair->a = mesh(points, point_count, triangles, triangle_count);
  pair->b = mesh(points, point_count, triangles, triangle_count);
  pair->query = std::make_unique<coal::ComputeDistance>(pair->a.get(), pair->b.get());
  pair->cached = guess == 1;
  coal::DistanceRequest& request = pair->request;
  request.enable_signed_distance = penetration;
  request.gjk_initial_guess = guess == 1   ? coal::GJKInitialGuess::CachedGuess
                              : guess == 2 ? coal::GJKInitialGuess::BoundingVolumeGuess
                                           : coal::GJKInitialGuess::DefaultGuess;
  if (tolerance > 0.0) {
    request.gjk_tolerance = tolerance;
    request.epa_tolerance = tolerance;
  }
  return pair.release();
}

void coal_pair_free(Pair* pair) { delete pair; }

// `numbers`: per pose of A and then of B a rotation matrix by columns and a translation.
void coal_pair_load(Pair* pair, const double* numbers, unsigned count) {
  pair->poses_a.clear();
  pair->poses_b.clear();
  for (unsigned i = 0; i < count; ++i) {
    pair->poses_a.push_back(pose(numbers + 24 * i));
    pair->poses_b.push_back(pose(numbers + 24 * i + 12));
  }
}

void coal_pair_run(Pair* pair, unsigned start, unsigned end, Answer* answers) {
  for (unsigned i = start; i < end; ++i, ++answers) {
    pair->result.clear();
    answers->distance =
        (*pair->query)(pair->poses_a[i], pair->poses_b[i], pair->request, pair->result);
    if (pair->cached) pair->request.updateGuess(pair->result);
    for (int axis = 0; axis < 3; ++axis) {
      answers->a[axis] = pair->result.nearest_points[0][axis];
      answers->b[axis] = pair->result.nearest_points[1][axis];
    }
  }
}
}
