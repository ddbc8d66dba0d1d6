/**
 * Writes the table of file names by language of highlight.js, from the package linguist-languages. Run it after an update of either: `node
 * tools/highlighting.mjs > src/features/repository/highlighting/names.table.ts`
 */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import highlighter from 'highlight.js'
import * as languages from 'linguist-languages'
import { owners } from './languages.mjs'

/** Languages that highlight.js doesn't have by name, with a similar grammar. Its `shell` is for terminal sessions. */
const similar = {
  bash: ['Shell', 'Alpine Abuild', 'BitBake', 'Gentoo Ebuild', 'Gentoo Eclass', 'OpenRC runscript', 'Tcsh', 'fish', 'Dotenv', 'Procfile'],
  c: ['Bison', 'Lex', 'OpenCL', 'VCL', 'Yacc', 'nesC', 'HolyC', 'C3', 'XS'],
  clojure: ['Janet', 'edn'],
  cpp: ['Cuda', 'HIP', 'ISPC', 'Metal', 'SWIG'],
  css: ['PostCSS', 'SugarSS'],
  django: ['Liquid', 'Nunjucks', 'Mako', 'Salt'],
  erb: ['EJS', 'HTML+ECR', 'HTML+EEX', 'JavaScript+ERB'],
  fortran: ['Fortran Free Form'],
  glsl: ['HLSL', 'WGSL', 'GDShader', 'ShaderLab', 'Slang'],
  haskell: ['C2hs Haskell', 'Frege', 'Idris', 'PureScript'],
  ini: [
    'EditorConfig',
    'Git Config',
    'Java Properties',
    'NPM Config',
    'Windows Registry Entries',
    'HOCON',
    'Pip Requirements',
    'SSH Config',
  ],
  java: ['Apex', 'JFlex', 'Xtend'],
  javascript: ['Cycript', 'Qt Script', 'Dogescript'],
  json: ['Avro IDL', 'JSONLD', 'Jsonnet', 'Jupyter Notebook', 'OASv2-json', 'OASv3-json'],
  kotlin: ['Gradle Kotlin DSL'],
  lisp: ['Emacs Lisp', 'NewLisp', 'PicoLisp', 'Fennel'],
  makefile: ['Just'],
  markdown: ['MDX', 'RMarkdown', 'mdsvex'],
  perl: ['Raku', 'Pod', 'Pod 6'],
  pgsql: ['PLpgSQL'],
  php: ['Hack'],
  'php-template': ['Blade', 'HTML+PHP', 'Latte', 'Smarty', 'Volt'],
  protobuf: ['Protocol Buffer Text Format'],
  python: ['Cython', 'GN', 'Meson', 'Mojo', 'Sage', 'Snakemake', 'Starlark', 'Xonsh'],
  rust: ['RON'],
  scheme: ['Racket'],
  scss: ['Sass'],
  sql: ['CQL', 'HiveQL', 'PLSQL', 'SQLPL', 'TSQL'],
  vbnet: ['VBA', 'Visual Basic 6.0', 'QuickBASIC', 'FreeBASIC'],
  verilog: ['SystemVerilog'],
  vim: ['Vim Help File'],
  x86asm: ['Assembly', 'Unix Assembly'],
  xml: [
    'Ant Build System',
    'Astro',
    'COLLADA',
    'ColdFusion',
    'FreeMarker',
    'Marko',
    'Maven POM',
    'Svelte',
    'Vue',
    'XML Property List',
    'Web Ontology Language',
  ],
  yaml: ['OASv2-yaml', 'OASv3-yaml', 'MiniYAML', 'RAML', 'Unity3D Asset'],
}

const widest = 130

/** The grammars of highlight.js, by all their names and aliases. */
function grammars() {
  const folder = join(dirname(createRequire(import.meta.url).resolve('highlight.js/package.json')), 'es', 'languages')
  const names = readdirSync(folder).filter((file) => /^[\w-]+\.js$/.test(file))
  const found = new Map()
  for (const name of names.map((file) => file.slice(0, -3))) {
    for (const alias of [name, ...(highlighter.getLanguage(name)?.aliases ?? [])]) found.set(alias.toLowerCase(), name)
  }
  return found
}

function grammarOf(language, known, exceptions) {
  const own = [language.name, ...(language.aliases ?? [])].map((name) => name.toLowerCase())
  const spelled = own.flatMap((name) => [name, name.replaceAll(' ', '-'), name.replaceAll(' ', '')])
  return exceptions.get(language.name) ?? spelled.map((name) => known.get(name)).find((name) => name !== undefined)
}

/** `ruby: .rb Rakefile; …`, wrapped into lines. */
function tableOf(pairs) {
  const keys = new Map()
  for (const [grammar, key] of pairs) {
    if (/[\s;:`\\]/.test(key)) continue
    keys.set(grammar, [...(keys.get(grammar) ?? []), key])
  }
  const entries = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, own]) => `${name}: ${[...new Set(own)].sort().join(' ')};`)
  const lines = ['']
  for (const word of entries.join(' ').split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim()
    if (line.length > widest) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines.join('\n')
}

const known = grammars()
const exceptions = new Map(Object.entries(similar).flatMap(([grammar, names]) => names.map((name) => [name, grammar])))
const names = []
const interpreters = []
for (const [key, language] of owners()) {
  const grammar = grammarOf(language, known, exceptions)
  if (grammar && grammar !== 'plaintext') names.push([grammar, key])
}
for (const language of Object.values(languages)) {
  const grammar = grammarOf(language, known, exceptions)
  if (grammar) for (const name of language.interpreters ?? []) interpreters.push([grammar, name])
}

process.stdout.write(`/** Names of files and of interpreters by grammar of highlight.js, written by tools/highlighting.mjs from linguist-languages (MIT). */
export const fileNames = \`
${tableOf(names)}
\`

export const interpreterNames = \`
${tableOf(interpreters)}
\`
`)
