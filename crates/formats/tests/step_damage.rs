//! Damaged STEP files: an error or a warning each, never a panic, never a file that does not end.
#![cfg(feature = "step")]
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
