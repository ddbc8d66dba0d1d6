/**
 * Writes the table of languages: what the server needs of the package linguist-languages, which would itself cost every server 22 MB. Run
 * it after an update of the package: `node tools/languages.mjs > src/features/repository/stats/languages.table.ts`
 */
import { fileURLToPath } from 'node:url'
import * as languages from 'linguist-languages'

/**
 * An extension of several languages belongs to the one that lists it first; this table has the exceptions and the ties. Other ties: a
 * programming or markup language before data and prose, then by name.
 */
const usual = {
  '.asc': 'AsciiDoc',
  '.bs': 'BrighterScript',
  '.cgi': 'Perl',
  '.cl': 'OpenCL',
  '.cls': 'TeX',
  '.e': 'Eiffel',
  '.es': 'JavaScript',
  '.f': 'Fortran',
  '.fcgi': 'Perl',
  '.for': 'Fortran',
  '.fs': 'F#',
  '.ftl': 'FreeMarker',
  '.h': 'C',
  '.hh': 'C++',
  '.html': 'HTML',
  '.inc': 'PHP',
  '.jq': 'jq',
  '.m': 'Objective-C',
  '.md': 'Markdown',
  '.ms': 'Roff',
  '.nu': 'Nushell',
  '.pc': 'pkg-config',
  '.pl': 'Perl',
  '.plt': 'Gnuplot',
  '.pm': 'Perl',
  '.pro': 'QMake',
  '.rs': 'Rust',
  '.sc': 'Scala',
  '.sql': 'SQL',
  '.srt': 'SubRip Text',
  '.t': 'Perl',
  '.tst': 'Text',
  '.txt': 'Text',
  '.v': 'Verilog',
  '.x': 'RPC',
}

const widest = 130

const isSource = ({ type }) => type === 'programming' || type === 'markup'
const sourcesFirst = (a, b) => Number(isSource(b)) - Number(isSource(a)) || (a.name < b.name ? -1 : 1)

/** The language of each extension and each file name. */
export function owners() {
  const all = Object.values(languages).sort(sourcesFirst)
  const found = new Map()
  for (const language of all) {
    for (const name of language.filenames ?? []) if (!found.has(name)) found.set(name, { language, position: -1 })
    for (const [position, extension] of (language.extensions ?? []).entries()) {
      const known = found.get(extension.toLowerCase())
      if (!known || position < known.position) found.set(extension.toLowerCase(), { language, position })
    }
  }
  for (const [extension, name] of Object.entries(usual)) {
    const language = all.find((candidate) => candidate.name === name)
    if (!language) throw new Error(`there is no language ${name}`)
    found.set(extension, { language, position: 0 })
  }
  return new Map([...found].map(([key, { language }]) => [key, language]))
}

/**
 * `Ruby: .rb Rakefile; …`, each language with those counted as part of it, wrapped into lines. `-` stands for files that are not source
 * although their last extension is: `go.mod`.
 */
function table() {
  const found = owners()
  const keys = new Map()
  for (const [key, language] of found) {
    const last = found.get(key.slice(key.lastIndexOf('.')).toLowerCase())
    if (!isSource(language) && !(last && isSource(last))) continue
    const name = isSource(language) ? (language.group ?? language.name) : '-'
    if (/[\s;:`\\]/.test(key) || /[;:`\\]/.test(name)) throw new Error(`the table can't hold ${name}: ${key}`)
    keys.set(name, [...(keys.get(name) ?? []), key])
  }
  const entries = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, own]) => `${name}: ${own.sort().join(' ')};`)
  const lines = ['']
  for (const word of entries.join(' ').split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim()
    if (line.length > widest) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines.join('\n')
}

const isRun = process.argv[1] === fileURLToPath(import.meta.url)
if (isRun)
  process.stdout.write(`/** Extensions and names of files by language, written by tools/languages.mjs from the package linguist-languages (MIT). */
export const languageNames = \`
${table()}
\`
`)
