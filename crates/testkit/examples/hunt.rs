#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use clearance_geometry::tiled::TiledBody;
use clearance_testkit::Random;
fn main() {
    let mut random = Random::new(1);
    for e in -12..=12 {
        let scale = 10f64.powi(e);
        let mut bad = [0; 4];
        let mut first = String::new();
        for _ in 0..2000 {
            let (r, h) = (scale * random.uniform(0.1, 1.0), scale * random.uniform(0.1, 2.0));
            for (i, made) in [
                TiledBody::cylinder(r, h),
                TiledBody::cone(r, h, None),
                TiledBody::capsule(r, h),
                TiledBody::torus(r * 3.0, r),
            ]
            .into_iter()
            .enumerate()
            {
                if let Err(why) = made {
                    bad[i] += 1;
                    if first.is_empty() {
                        first = format!("{i} {r:e} {h:e} {why:?}");
                    }
                }
            }
        }
        println!("{scale:e} {bad:?} {first}");
    }
}
