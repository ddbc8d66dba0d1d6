/**
 * The sentences of the pages (`npm run sentences`, and as a part of `npm run check`): every text of an `html` template, every sentence of `t`
 * and `translated`, and every noun of `count` has an entry in each language, in the table
 * where it belongs, and no entry is left over; nor is one for what services refuse. With `--list` it prints them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import * as chinese from '../src/html/languages/chinese/index.ts'
import * as german from '../src/html/languages/german/index.ts'
import { keysOf } from '../src/html/segments.ts'
import { keyOf } from '../src/html/sentences.ts'
import { unindented } from '../src/html/untranslated.ts'
import { sourcesOf } from './files.mjs'
import { fail, root, say } from './prepare.mjs'

const languages = { german, chinese }
/** Sentences that stand in several wings of the pages are in this table. */
const shared = 'common'

/** Texts that features declare for a page, by the names of their properties, or all of a file: the page shows them by `declared`. */
const declarations = [
  { path: 'src/access/levels.ts', wing: shared, names: null },
  { path: 'src/features/integrations/kinds/', wing: 'integrations', names: ['title', 'description', 'help', 'choices'] },
  { path: 'src/features/review/mergeability/obstacles.ts', wing: 'review', names: ['what', 'how'] },
  { path: 'src/features/repository/code-owners/faults.ts', wing: 'repository', names: null },
]
const declarationsIn = (/** @type {string} */ file) => declarations.find(({ path }) => file.startsWith(path))

/** @type {Map<string, Set<string>>} The wings of each sentence. */
const wings = new Map()
for (const file of sourcesOf(root).filter(isOfPages)) collect(file)
if (process.argv.includes('--list')) {
  for (const [key, places] of [...wings].sort()) console.log(`${tableOf(places)}\t${key}`)
  process.exit(0)
}
const problems = Object.entries(languages).flatMap(([language, { refusals, ...tables }]) => [
  ...problemsOf(language, tables),
  ...problemsOfRefusals(language, refusals),
])
if (problems.length > 0) fail(`The tables of sentences (src/html/languages) and the pages differ:\n${problems.join('\n')}`)
say(`${wings.size} sentences, in each language.`)

/** @param {string} file */
function isOfPages(file) {
  return /^src\/(?:pages|web)\//.test(file) || file === 'src/html/phrases.ts' || declarationsIn(file) !== undefined
}

/** @param {Set<string>} places */
function tableOf(places) {
  if (places.has('web')) return 'web'
  return places.size === 1 ? [...places][0] : shared
}

/** @param {string} file */
function collect(file) {
  const [, room, wing] = file.split('/')
  const place = room === 'pages' ? wing : room === 'web' ? 'web' : (declarationsIn(file)?.wing ?? shared)
  const add = (/** @type {string} */ key) => wings.set(key, (wings.get(key) ?? new Set()).add(place))
  visit(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }, file).body, add, file)
}

/** @param {unknown} node */
function visit(node, add, file) {
  if (Array.isArray(node)) for (const one of node) visit(one, add, file)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  if (node.type === 'TaggedTemplateExpression' && !file.startsWith('src/features/')) collectTemplate(node, add, file)
  if (node.type === 'CallExpression' && node.callee.name === 'count') collectCount(node, add, file)
  if (node.type === 'CallExpression' && node.callee.name === 'translated') collectTable(node.arguments[0], add)
  const declared = declarationsIn(file)
  if (declared && node.type === 'Property' && (declared.names?.includes(node.key.name) ?? true)) collectDeclaration(node, add)
  for (const child of Object.values(node)) visit(child, add, file)
}

/** A choice is a value and its words. */
function collectDeclaration({ value }, add) {
  if (value.type !== 'ArrayExpression') return collectTable(value, add)
  for (const choice of value.elements) if (choice.type === 'ArrayExpression') collectTable(choice.elements[1], add)
}

function collectTemplate({ tag, quasi, quasi: { expressions } }, add, file) {
  const texts = quasi.quasis.map(({ value }) => value.cooked)
  if (tag.name === 'html') for (const key of keysOf(unindented(texts))) add(key)
  if (tag.name !== 't') return
  add(keyOf(texts))
  if (expressions.some(hasSentence)) fail(`${file}: "${keyOf(texts)}" has another sentence as a part. Write whole ones, or use count().`)
}

function hasSentence(node) {
  if (node === null || typeof node !== 'object') return false
  return (node.type === 'TaggedTemplateExpression' && node.tag.name === 't') || Object.values(node).some(hasSentence)
}

function collectCount({ arguments: [, one, many], start }, add, file) {
  if (!one) return
  const [first, other] = [one, many].map((node) => node && textOf(node))
  if (first === null || other === null) fail(`${file}: the words of count (at ${start}) must be literals.`)
  add(`{0} ${first}|{0} ${other ?? `${first}s`}`)
}

/** The strings of a table at any depth; its functions use `t`. */
function collectTable(node, add) {
  const text = textOf(node)
  if (text !== null) add(text)
  else if (node.type === 'ObjectExpression') for (const { value, argument } of node.properties) collectTable(value ?? argument, add)
  else if (node.type === 'ArrayExpression') for (const element of node.elements) collectTable(element, add)
  else if (/^TS(?:As|Satisfies)Expression$/.test(node.type)) collectTable(node.expression, add)
}

/** The value of a string, also if it is put together; null for other expressions. */
function textOf(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === null || right === null ? null : left + right
}

/** @param {string} language @param {Record<string, Record<string, string>>} tables */
function problemsOf(language, tables) {
  const missing = [...wings].filter(([key, places]) => !Object.hasOwn(tables[tableOf(places)] ?? {}, key))
  return [
    ...missing.map(([key, places]) => `missing in ${language}/${tableOf(places)}.ts: ${key}`),
    ...Object.entries(tables).flatMap(([wing, table]) =>
      Object.entries(table).flatMap(([key, value]) =>
        problemOf(key, value, wing).map((problem) => `${problem} ${language}/${wing}.ts: ${key}`),
      ),
    ),
  ]
}

/** @param {string} key @param {string} value @param {string} wing */
function problemOf(key, value, wing) {
  const places = wings.get(key)
  if (!places) return ['on no page, but in']
  const table = tableOf(places)
  if (table !== wing) return [`belongs in ${table}.ts, but is in`]
  return isWhole(key, value) ? [] : [`other holes or elements (${value}) in`]
}

/** Finds translated refusals that no source has any more. A `{0} ` in front is the name of a field, which the sources leave out. */
function problemsOfRefusals(language, table) {
  const hole = '\u0000'
  const said = sourcesOf(root)
    .filter((file) => file.startsWith('src/') && !file.startsWith('src/html/languages/'))
    .map((file) =>
      readFileSync(join(root, file), 'utf8')
        .replaceAll("\\'", "'")
        .replaceAll(/\$\{[^}]*\}/g, hole),
    )
    .join('\n')
  const isSaid = (/** @type {string} */ key) => said.includes(key.replaceAll(/\{\d+\}/g, hole))
  return [
    ...Object.keys(table)
      .filter((key) => !isSaid(key) && !(key.startsWith('{0} ') && isSaid(key.slice('{0} '.length))))
      .map((key) => `refused by nothing, but in ${language}/refusals.ts: ${key}`),
    ...Object.entries(table)
      .filter(([key, value]) => !isWhole(key, value))
      .map(([key, value]) => `other holes in ${language}/refusals.ts: ${key}: ${value}`),
  ]
}

/** Whether a translation has the same holes and elements as the sentence. */
function isWhole(key, value) {
  const signs = (/** @type {string} */ text) => (text.match(/\{\d+\}|<\/?[a-z]+\d*>/g) ?? []).sort().join()
  if (!/^\{0\} .*\|\{0\} /.test(key)) return signs(key) === signs(value)
  return value.split('|').every((form) => signs(form) === '{0}')
}
