//! Damaged STEP files: an error or a warning each, never a panic, never a file that does not end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use clearance_formats::Units;
use clearance_formats::step::StepModel;
use clearance_testkit::Random;
use std::path::Path;

const FILES: [&str; 7] = ["assembly", "nurbs", "poles", "prism", "sheet", "vase", "void"];

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/step_made/{name}.step"));
    std::fs::read_to_string(path).unwrap()
}

fn read(bytes: &[u8]) -> Result<StepModel, String> {
    StepModel::from_bytes(bytes, Units::Metre).map_err(|error| {
        assert_eq!(error.code(), "bad_file");
        error.to_string()
    })
}

#[test]
fn empty_files_and_garbage_are_refused() {
    let mut random = Random::new(7);
    let noise: Vec<u8> = (0..4096).map(|_| random.index(256) as u8).collect();
    let long = format!("ISO-10303-21;HEADER;{}", "(".repeat(1_000_000));
    let texts: [&[u8]; 8] = [
        b"",
        b"\n\n\n",
        b"\xef\xbb\xbf",
        b"solid cube\nendsolid",
        b"ISO-10303-21;",
        b"ISO-10303-21;HEADER;ENDSEC;DATA;ENDSEC;END-ISO-10303-21;",
        &noise,
        long.as_bytes(),
    ];
    for bytes in texts {
        assert!(read(bytes).is_err());
    }
}

#[test]
fn truncated_files_are_refused() {
    for name in ["void", "assembly"] {
        let text = text(name);
        let whole = text.trim_end().len();
        for end in (0..whole).step_by(101).chain([whole - 1]) {
            let error = read(&text.as_bytes()[..end]).unwrap_err();
            assert!(!error.is_empty());
        }
        assert!(read(&text.as_bytes()[..whole]).is_ok());
    }
}

#[test]
fn headers_may_lack_records() {
    let whole = text("void");
    let expected = read(whole.as_bytes()).unwrap();
    assert!(expected.warnings.is_empty());
    for name in ["FILE_NAME", "FILE_DESCRIPTION", "FILE_SCHEMA"] {
        let start = whole.find(name).unwrap();
        let end = start + whole[start..].find(");").unwrap() + 2;
        let without = format!("{}{}", &whole[..start], &whole[end..]);
        let model = read(without.as_bytes()).unwrap();
        assert_eq!(model.bodies[0].faces.len(), expected.bodies[0].faces.len());
        assert!(model.warnings[0].message.contains(name));
        // Lines count as in the file.
        let lost = whole[start..end].matches('\n').count() as u32;
        assert_eq!(model.bodies[0].line + lost, expected.bodies[0].line);
    }
}

#[test]
fn faults_without_end_are_counted() {
    let blanks = format!("#99999=BLANKS({});\nENDSEC;\nEND-ISO", ",".repeat(1_000_000));
    let model = read(text("void").replace("ENDSEC;\nEND-ISO", &blanks).as_bytes()).unwrap();
    assert_eq!(model.warnings.len(), 101);
    assert!(model.warnings[100].message.contains("999901 more"), "{:?}", model.warnings[100]);
}

#[test]
fn other_line_ends_and_a_byte_order_mark_are_accepted() {
    let whole = text("prism");
    let expected = read(whole.as_bytes()).unwrap();
    let windows = format!("\u{feff}{}", whole.replace('\n', "\r\n"));
    let model = read(windows.as_bytes()).unwrap();
    assert_eq!(model.bodies[0].line, expected.bodies[0].line);
    assert_eq!(model.bodies[0].vertices, expected.bodies[0].vertices);
}

#[test]
fn a_number_used_twice_is_refused_with_its_line() {
    let text = text("void").replace("ENDSEC;\nEND-ISO", "#15=DIRECTION('',(0.,0.,1.));\nENDSEC;\nEND-ISO");
    assert!(read(text.as_bytes()).unwrap_err().contains("duplicate entity #15"));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let text = text("sheet");
    for bad in ["1.E999", "-1.E400"] {
        let damaged = text.replacen("(0.,0.,0.)", &format!("(0.,{bad},0.)"), 2);
        assert!(read(damaged.as_bytes()).is_err(), "{bad}");
    }
    // Finite, but not squared: whatever comes of it, nothing panics.
    let damaged = text.replace("(0.,0.,0.)", "(0.,1.E300,0.)");
    let _ = read(damaged.as_bytes());
}

/// Changes that keep the text a STEP file, mostly: numbers, references, flags and whole kinds.
fn damaged(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.index(4) {
        let at = random.index(bytes.len());
        match random.index(6) {
            0 => bytes[at] = random.index(256) as u8,
            1 => {
                // Another digit in a number or a reference.
                let digit = (at..bytes.len()).find(|at| bytes[*at].is_ascii_digit());
                if let Some(digit) = digit {
                    bytes[digit] = b'0' + random.index(10) as u8;
                }
            }
            2 => {
                bytes.remove(at);
            }
            3 => {
                let flag = (at..bytes.len() - 2).find(|at| &bytes[*at..at + 3] == b".T.");
                if let Some(flag) = flag {
                    bytes[flag + 1] = b'F';
                }
            }
            4 => {
                // A record moved into another's place.
                let end = (at + 40).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.index(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let sign = (at..bytes.len()).find(|at| bytes[*at] == b'.');
                if let Some(sign) = sign {
                    bytes.splice(sign..=sign, *b".E12");
                }
            }
        }
    }
    bytes
}

#[test]
fn random_damage_never_panics() {
    let mut random = Random::new(20);
    let texts: Vec<String> = FILES.into_iter().map(text).collect();
    let (mut whole, mut warned, mut refused) = (0, 0, 0);
    for round in 0..2100 {
        let bytes = damaged(&texts[round % texts.len()], &mut random);
        match read(&bytes) {
            Ok(model) if model.warnings.is_empty() && model.refused.is_empty() => whole += 1,
            Ok(_) => warned += 1,
            Err(_) => refused += 1,
        }
    }
    // All three outcomes must have been tried.
    assert!(
        whole > 100 && warned > 100 && refused > 300,
        "{whole} whole, {warned} warned, {refused} refused"
    );
}

#[test]
fn bodies_of_damaged_files_are_built_or_refused() {
    let mut random = Random::new(21);
    let texts: Vec<String> = FILES.into_iter().map(text).collect();
    let (mut built, mut open, mut refused) = (0, 0, 0);
    for round in 0..700 {
        let bytes = damaged(&texts[round % texts.len()], &mut random);
        let Ok(model) = read(&bytes) else { continue };
        for body in &model.bodies {
            match body.to_tiled() {
                Ok(tiled) => {
                    let mass = tiled.mass();
                    assert!(mass.area.is_finite() && mass.volume.is_finite(), "{}", body.entity);
                    if tiled.is_closed() { built += 1 } else { open += 1 }
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    assert!(built > 100 && open > 5 && refused > 30, "{built} built, {open} open, {refused} refused");
}

/// A sheet of `faces` faces that all have the same loop of `sides` sides, in `bodies` bodies.
fn repeated(sides: usize, faces: usize, bodies: usize) -> String {
    let mut records = String::new();
    let mut corners = Vec::new();
    for at in 0..sides {
        let angle = std::f64::consts::TAU * at as f64 / sides as f64;
        records += &format!("#{}=CARTESIAN_POINT('',({:?},{:?},0.));\n", 1000 + at, angle.cos(), angle.sin());
        corners.push(format!("#{}", 1000 + at));
    }
    records += &format!("#3=POLY_LOOP('',({}));\n", corners.join(","));
    let listed = |start: usize, count: usize| -> String {
        (start..start + count).map(|id| format!("#{id}")).collect::<Vec<_>>().join(",")
    };
    for id in 0..faces {
        records += &format!(
            "#{}=FACE('',(#{}));#{}=FACE_OUTER_BOUND('',#3,.T.);\n",
            1_000_000 + id,
            2_000_000 + id,
            2_000_000 + id
        );
    }
    records += &format!("#4=OPEN_SHELL('',({}));\n", listed(1_000_000, faces));
    for id in 0..bodies {
        records += &format!("#{}=SHELL_BASED_SURFACE_MODEL('',(#4));\n", 3_000_000 + id);
    }
    records += &format!("#5=SHAPE_REPRESENTATION('',({}),#6);\n", listed(3_000_000, bodies));
    format!(
        "ISO-10303-21;HEADER;FILE_DESCRIPTION((''),'2;1');FILE_NAME('','',(''),(''),'','','');FILE_SCHEMA((''));ENDSEC;\
         DATA;\n{records}#6=(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#7)) \
         REPRESENTATION_CONTEXT('',''));#7=(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.));\nENDSEC;END-ISO-10303-21;"
    )
}

#[test]
fn files_that_repeat_their_parts_without_end_are_refused() {
    assert_eq!(read(repeated(6, 10, 1).as_bytes()).unwrap().bodies[0].faces.len(), 10);
    // 25 million edges in loops, from a file of a few hundred kilobytes.
    let error = read(repeated(5000, 5000, 1).as_bytes()).unwrap_err();
    assert!(error.contains("#3 POLY_LOOP is used too often"), "{error}");
    // 25 million faces.
    let error = read(repeated(3, 5000, 5000).as_bytes()).unwrap_err();
    assert!(error.contains("too often"), "{error}");
    // One face, one shell, one void: each at most once in its list.
    let twice = text("void").replace("CLOSED_SHELL('',(#17", "CLOSED_SHELL('',(#17,#17");
    assert!(read(twice.as_bytes()).unwrap_err().contains("names #17 twice"));
}

#[test]
fn assemblies_that_double_without_end_are_refused() {
    // Forty levels, each twice in the next.
    let mut records = String::new();
    for level in 0..40 {
        let id = 100 + 10 * level;
        records += &format!(
            "#{id}=PRODUCT_DEFINITION('','',#{},$);#{}=PRODUCT_DEFINITION_FORMATION('','',#{});#{}=PRODUCT('p{level}','','',());\n",
            id + 1,
            id + 1,
            id + 2,
            id + 2
        );
        if level > 0 {
            for usage in [3, 4] {
                records += &format!(
                    "#{}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{id},#{},$);\n",
                    id + usage,
                    id - 10
                );
            }
        }
    }
    let text = text("void").replace(
        "ENDSEC;\nEND-ISO",
        &format!("{}ENDSEC;\nEND-ISO", records.replace("=#", "= #").replace('#', "#9")),
    );
    let error = read(text.as_bytes()).unwrap_err();
    assert!(error.contains("too often"), "{error}");
}
