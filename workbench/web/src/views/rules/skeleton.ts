// skeleton returns a document with the beginning of a rule for a template behind its others.
export function skeleton(document: string, template: { name: string; source: string }): string {
  const base = template.name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  let name = base;
  for (let n = 2; document.includes(`name: ${name}\n`); n++) name = `${base}-${n}`;
  const rule = [
    `  - name: ${name}`,
    `    because: `,
    `    when: name == "${template.name}"`,
    `    set:`,
    `      `,
  ].join("\n");
  return document.replace(/^workarounds: *\[\] *$/m, "workarounds:").trimEnd() + "\n" + rule;
}

// markersIn returns the texts of a template that look like markers, each once.
export function markersIn(source: string): string[] {
  const found = source.match(/<\|[^|<>\n]{1,40}\|>|<\/?[A-Za-z_][^<>{}%\s]{0,40}>|\[\/?[A-Z][A-Z_]{1,30}\]/g) ?? [];
  return [...new Set(found)].slice(0, 100);
}
