//! Our records beside those of `step-io`, an independent reader: the same numbers, lines, kinds and values.

use super::syntax::{Part, Records, Value};
use clearance_testkit::data;
use std::path::{Path, PathBuf};
use step_io::parser::{Attribute, RawEntity, parse};

/// Values are equal when they mean the same; real numbers to the last bit.
fn same(records: &Records<'_>, ours: &Value<'_>, theirs: &Attribute) -> bool {
    match (ours, theirs) {
        (Value::Integer(a), Attribute::Integer(b)) => a == b,
        (Value::Real(a), Attribute::Real(b)) => a.to_bits() == b.to_bits(),
        (Value::Text(a), Attribute::String(b)) => a == b,
        (Value::Word(a), Attribute::Enum(b)) => a == b,
        (Value::Reference(a), Attribute::EntityRef(b)) => a == b,
        (Value::Unset, Attribute::Unset)
        | (Value::Derived, Attribute::Derived)
        | (Value::Binary, Attribute::Binary(_)) => true,
        (Value::List(a), Attribute::List(b)) => same_list(records, records.items(*a), b),
        (Value::Typed(at), Attribute::Typed { type_name, value }) => {
            let part = records.typed(*at).unwrap();
            part.kind == type_name.as_str()
                && same_list(records, records.attributes(part), std::slice::from_ref(value))
        }
        _ => false,
    }
}

fn same_list(records: &Records<'_>, ours: &[Value<'_>], theirs: &[Attribute]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(records, a, b))
}

/// Compares all records of a text; how many there are.
fn compare(text: &[u8], name: &str) -> usize {
    let ours = Records::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    // The other reader insists on this record.
    let theirs = match parse(text) {
        Err(step_io::Error::MissingHeaderEntity { .. }) => {
            let at = text.windows(7).position(|window| window == b"HEADER;").unwrap() + 7;
            let added = b"FILE_NAME('','',(''),(''),'','','');".as_slice();
            parse(&*[&text[..at], added, &text[at..]].concat()).unwrap()
        }
        other => other.unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    assert_eq!(ours.entities.len(), theirs.entities.len(), "{name}");
    let agrees = |part: &Part<'_>, name: &str, attributes: &[Attribute]| {
        part.kind == name && same_list(&ours, ours.attributes(part), attributes)
    };
    for (entity, (id, other)) in ours.entities.iter().zip(&theirs.entities) {
        assert_eq!((entity.id, entity.line), (*id, other.span().line), "{name}");
        let parts = ours.parts(entity);
        let same = match other {
            RawEntity::Simple { name, attributes, .. } => {
                !entity.complex && parts.len() == 1 && agrees(&parts[0], name, attributes)
            }
            RawEntity::Complex { parts: others, .. } => {
                entity.complex
                    && parts.len() == others.len()
                    && parts.iter().zip(others).all(|(a, b)| agrees(a, &b.name, &b.attributes))
            }
        };
        assert!(same, "{name}: #{id} is {parts:?} here and {other:?} there");
    }
    let elsewhere: Vec<_> = ours.elsewhere.iter().map(|(id, address)| (*id, address.as_str())).collect();
    let other: Vec<_> = theirs.external_references.iter().map(|(id, at)| (*id, at.as_str())).collect();
    assert_eq!(elsewhere, other, "{name}");
    ours.entities.len()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "step")).collect();
    files.sort();
    files
}

#[test]
fn records_of_files_are_those_of_another_reader() {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/step_made");
    let mut all = files(&made);
    assert!(all.len() >= 7);
    let test = "records_of_files_are_those_of_another_reader";
    // Any file of the folder shows where it is.
    if let Some(one) = data::data_or_skip(test, "step/occt-cube.step") {
        let real = files(one.parent().unwrap());
        assert!(real.len() >= 13, "{real:?}");
        all.extend(real);
    }
    let mut records = 0;
    for path in all {
        records += compare(&std::fs::read(&path).unwrap(), &path.display().to_string());
    }
    assert!(records > 1000, "{records}");
}

/// Every construct of the syntax in one file, with blanks and comments in odd places.
const ODD: &str = r#"/* first */ ISO-10303-21 ;
HEADER ; FILE_DESCRIPTION ( ( '' ) , '2;1' ) ; FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('CONFIG_CONTROL_DESIGN','; ENDSEC;')); ENDSEC;
DATA;
/* a comment; with 'quotes' and ** stars **/
#3 = KIND ( ) ;#2=kind_of_3(1,-2,+3,1.,-1.5E-07,+0.25e+3,1.E5,$,*,.T.,.unspecified_Word.);
#10=(ALPHA() /**/ BETA(#2,(#3,#2),((),(1.,2.)))GAMMA('x'))
;
#4=TEXTS('it''s','a;b','/* no comment */','','back\\slash','\X\E9','\X2\03B1\X0\','\S\D','über','two
lines','\X4\0001F600\X0\','odd\escape');
#18446744073709551615=TYPED(LENGTH_MEASURE(1.5),SELECT(LIST_OF((1,2))),A(B(C(.F.))),"0","1AF","2ff");
#5
=
LATE
(
#10
)
;
ENDSEC;
END-ISO-10303-21;
"#;

#[test]
fn odd_syntax_is_read_as_by_another_reader() {
    assert_eq!(compare(ODD.as_bytes(), "odd"), 6);
    assert_eq!(compare(ODD.replace('\n', "\r\n").as_bytes(), "odd, with other line ends"), 6);
    let latin: Vec<u8> = ODD.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    assert_eq!(compare(&latin, "odd, in ISO 8859-1"), 6);
}

#[test]
fn other_sections_are_read_as_by_another_reader() {
    let sections = "ENDSEC;\nANCHOR; <a>=#3; <b c>=#2; ENDSEC; REFERENCE;\n#900=<part.step#A>;\n\
                    #901 = /* far away */ <http://example.org/b> ; ENDSEC;\nDATA;";
    assert_eq!(compare(ODD.replace("ENDSEC;\nDATA;", sections).as_bytes(), "references"), 6);
    // The other reader cannot read addresses that hold these.
    let text = ODD.replace("ENDSEC;\nDATA;", &sections.replace("part.step#A", "it's;1"));
    let records = Records::parse(text.as_bytes()).unwrap();
    assert_eq!(records.elsewhere[0], (900, "<it's;1>".to_owned()));
    assert_eq!(records.entities.len(), 6);
}

#[test]
fn files_of_several_data_sections_are_read() {
    let sections = "#7=LAST();ENDSEC;DATA('second',('SCHEMA'));\n#8=MORE(#7);\nENDSEC;\nEND-ISO";
    let text = ODD.replace("ENDSEC;\nEND-ISO", sections);
    let records = Records::parse(text.as_bytes()).unwrap();
    assert_eq!(records.entities.len(), 8);
    assert_eq!(records.get(8).unwrap().line, records.get(7).unwrap().line + 1);
    let twice = text.replace("#8=", "#7=");
    assert!(Records::parse(twice.as_bytes()).unwrap_err().to_string().contains("duplicate entity #7"));
}

#[test]
fn signatures_are_passed_over() {
    for signature in ["", "\nMIIB+ENDSEC/Ab==\n", "\nENDSEC+/aENDSECa\nENDSECS'<\"\n", "\nMIIB==\n/* ; */ "] {
        let text = ODD.replace("\nEND-ISO", &format!("\nSIGNATURE;{signature}ENDSEC ;\nEND-ISO"));
        let records = Records::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{signature}: {error}"));
        assert_eq!(records.entities.len(), 6);
        let line = records.forgiven.iter().find(|(_, what)| what.contains("signature")).unwrap().0;
        assert_eq!(line, 20);
    }
    let cut = ODD.replace("\nEND-ISO", "\nSIGNATURE;\nMIIB==\nEND-ISO");
    assert!(Records::parse(cut.as_bytes()).unwrap_err().to_string().contains("cut short"));
}

#[test]
fn directives_to_printers_are_blanks() {
    let text = ODD
        .replace("#5\n=\nLATE\n(", "\\N\\#5\\F\\\n= \\N\\\\N\\\nLATE\\F\\\n( ")
        .replace("1,-2,+3", "1,\\N\\-2\\F\\,+3");
    assert_ne!(text, ODD);
    let (plain, marked) = (Records::parse(ODD.as_bytes()).unwrap(), Records::parse(text.as_bytes()).unwrap());
    assert_eq!(format!("{plain:?}"), format!("{marked:?}"));
    for odd in ["\\", "\\N", "\\M\\", "\\N\\\\"] {
        assert!(Records::parse(ODD.replace("LATE\n", &format!("LATE{odd}\n")).as_bytes()).is_err(), "{odd}");
    }
}

#[test]
fn notes_on_other_files_are_limited() {
    let references: String = (1000..2000).map(|id| format!("#{id}=<part.step#A>;")).collect();
    let text = ODD.replace("ENDSEC;\nDATA;", &format!("ENDSEC;\nREFERENCE;{references}ENDSEC;\nDATA;"));
    let source = super::source::Source::parse(text.as_bytes()).unwrap();
    let about: Vec<_> = source.repairs.iter().filter(|note| note.message.contains("other files")).collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(about[0].message.contains("900 more") && source.repairs.len() < 110, "{about:?}");
}

#[test]
fn faults_of_syntax_name_their_lines() {
    let cases = [
        ("#10\n)", "NAN\n)", "line 17: expected '('"),
        ("#10\n)", "1.#IND\n)", "line 16: expected a comma"),
        ("#10\n)", "-INF\n)", "line 16: expected a digit"),
        ("#10\n)", "1.E999\n)", "line 16: 1.E999 is out of range"),
        ("#10\n)", "1.E\n)", "line 16: expected a digit"),
        ("#10\n)", "99999999999999999999\n)", "line 16: 99999999999999999999 is out of range"),
        ("#10\n)", ".T\n)", "line 16: expected an enumeration value"),
        ("#10\n)", "\"0G\"\n)", "line 16: expected hexadecimal"),
        ("#10\n)", "#99999999999999999999\n)", "line 16: #99999999999999999999 is out of range"),
        ("#10\n)", "'\n)", "line 16: a string is cut short"),
        ("#10\n)", "/*\n)", "line 16: a comment is cut short"),
        ("DATA;", "DATUM;", "DATUM is no section"),
        ("HEADER ;", ";", "line 2: expected HEADER"),
        ("\nEND-ISO-10303-21;", "", "cut short"),
        ("LATE\n", "7LATE\n", "line 14: expected a keyword"),
    ];
    for (from, to, expected) in cases {
        let text = ODD.replace(from, to);
        assert_ne!(text, ODD);
        let error = Records::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn forgiven_syntax_is_noted() {
    let text = ODD
        .replace("FILE_NAME('','',(''),(''),'','','');", "FILE_NAME('','',(''),(''),'','','')")
        .replace("KIND ( )", "KIND(1,,#2,)")
        + "\u{1a}";
    let records = Records::parse(text.as_bytes()).unwrap();
    let lines: Vec<u32> = records.forgiven.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 6, 6, 10, 21], "{:?}", records.forgiven);
}

#[test]
fn truncated_syntax_is_refused_by_both() {
    let whole = ODD.trim_end();
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let cut = &whole.as_bytes()[..end];
        assert!(Records::parse(cut).is_err() && parse(cut).is_err(), "{end}");
    }
}

#[test]
fn bytes_changed_at_random_are_refused_by_both_or_read_alike() {
    let mut random = clearance_testkit::Random::new(5);
    let (mut read, mut refused, mut lenient) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut bytes = ODD.as_bytes().to_vec();
        let at = random.index(bytes.len());
        let new = b"#=(),;'\"./*>$!+-0Ee \n\\"[random.index(22)];
        if random.index(3) == 0 {
            bytes[at] = new
        } else {
            bytes.insert(at, new)
        }
        match (Records::parse(&bytes).is_ok(), parse(&*bytes).is_ok()) {
            (true, true) => {
                read += 1;
                compare(&bytes, &String::from_utf8_lossy(&bytes));
            }
            (false, false) => refused += 1,
            // What the header of `syntax` says is forgiven here and not there.
            (true, false) => lenient += 1,
            (false, true) => panic!("refused: {}", String::from_utf8_lossy(&bytes)),
        }
    }
    assert!(read > 2000 && refused > 2000 && lenient < read / 4, "{read} {refused} {lenient}");
}
