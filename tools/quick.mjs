/**
 * Selects the tests of `npm run test:quick`: tests beside changed files, the laws that the change may affect, and then tests of the
 * importers of these files, nearest first, up to about a minute.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { testsByDistance } from './distance.mjs'
import { testsOf } from './files.mjs'
import { root } from './prepare.mjs'
import { readTimings } from './timings.mjs'

const contract = (...names) => names.map((name) => `test/contract/${name}`)
/** They only read files. */
const readingLaws = contract('coverage', 'docs', 'import-law', 'matrix/table', 'presenters', 'reference-fields')
/** They call each endpoint once or twice. */
const cheapLaws = contract('access', 'methods', 'openapi', 'pages.test', 'replies', 'shadowed-names')
/** They call each endpoint many times, so only changed ones are tested. */
const thoroughLaws = contract('fuzz', 'hostile', 'matrix')
/** They read the pages and the files that browsers load for them. */
const pageLaws = contract('asset-sizes', 'colours', 'page-addresses', 'pages-for-people', 'style-names')

/** Each is a prefix of the paths of its files. */
export const laws = [...readingLaws, ...cheapLaws, ...thoroughLaws, ...pageLaws]

/** For all tests together, with three workers: the rest of the minute is for the start. */
const budget_s = 3 * 45
/** For a file that is too short for the list of timings, with its share of the fixed cost per file. */
const short_s = 0.7
const law_s = 3

/** Lists to which new things are added: a new line doesn't affect the others. */
const lists = /^src\/(features\/(index|subscribers|.*\.feature)|db\/(migrate|tables))\.ts$/

/**
 * The paths of test files, and those of the modules whose endpoints the laws test: null for all of them. Changes are what is not committed,
 * or else the last commit.
 */
export function quickSelection() {
  const uncommitted = { changed: listed('diff', '--name-only', 'HEAD'), added: listed('ls-files', '--others', '--exclude-standard') }
  uncommitted.added.push(...listed('diff', '--name-only', '--diff-filter=A', 'HEAD'))
  if (uncommitted.changed.length + uncommitted.added.length > 0) return selectionOf(uncommitted)
  const inLastCommit = (...filter) => listed('diff', '--name-only', ...filter, 'HEAD~1', 'HEAD')
  return selectionOf({ changed: inLastCommit(), added: inLastCommit('--diff-filter=A') })
}

/** `added` are new files, which nothing used before; `changed` may contain them, too. */
export function selectionOf({ changed, added }) {
  const all = [...new Set([...changed, ...added])].filter((file) => /^(src|test)\/.*\.ts$|\.md$/.test(file))
  const code = all.filter((file) => file.endsWith('.ts'))
  const besides = code.flatMap((file) => (file.endsWith('.test.ts') ? [file] : testsIn(dirname(file))))
  const sources = code.filter((file) => !file.endsWith('.test.ts'))
  const endpoints = [...new Set(sources.filter((file) => file.startsWith('src/features/')).map(dirname))].flatMap(endpointsIn)
  const hasPages = sources.some((file) => /^src\/(pages|web)\//.test(file))
  // Every endpoint may use an existing file.
  const isWider = sources.some((file) => /^(src\/(?!features\/|pages\/|web\/)|test\/support\/)/.test(file) && !isAddition(file, added))
  const certain = [
    ...besides.filter((file) => existsSync(join(root, file))),
    ...(all.length > 0 ? readingLaws : []),
    ...(isWider || endpoints.length > 0 ? cheapLaws : []),
    ...(!isWider && endpoints.length > 0 ? thoroughLaws : []),
    ...(hasPages ? pageLaws : []),
  ]
  // A change of a list of things is a change of the things in it, and nearly everything imports these lists.
  const changedSources = sources.filter((file) => !lists.test(file))
  const { files, leftOut } = withinBudget([...new Set(certain)], testsByDistance(changedSources), isWider)
  return { files, endpoints: isWider || endpoints.length === 0 ? null : endpoints, isWider, leftOut }
}

/** All of the certain ones, and the first of the others that fit. */
function withinBudget(certain, others, isWider) {
  const timings = readTimings()
  // A law that only tests changed endpoints builds its fixtures, and makes few requests.
  const isBrief = (file) => !isWider && laws.some((law) => file.startsWith(law))
  const secondsOf = (file) => Math.min(timings.get(`sqlite ${file}`) ?? short_s, isBrief(file) ? law_s : Number.POSITIVE_INFINITY)
  const known = testsOf(root).filter((file) => certain.some((name) => file.startsWith(name)))
  const rest = others.filter((file) => !known.includes(file))
  const files = [...certain]
  let left_s = budget_s - known.reduce((sum, file) => sum + secondsOf(file), 0)
  for (const file of rest) {
    left_s -= secondsOf(file)
    if (left_s < 0) break
    files.push(file)
  }
  return { files, leftOut: rest.slice(files.length - certain.length) }
}

const isAddition = (file, added) => added.includes(file) || lists.test(file)

function listed(...args) {
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return (stdout ?? '').split('\n').filter(Boolean)
}

function testsIn(folder) {
  return namesIn(folder, '.test.ts').map((name) => `${folder}/${name}`)
}

function endpointsIn(folder) {
  return namesIn(folder, '.endpoints.ts').map((name) => `${folder}/${name}`)
}

function namesIn(folder, ending) {
  return existsSync(join(root, folder)) ? readdirSync(join(root, folder)).filter((name) => name.endsWith(ending)) : []
}
