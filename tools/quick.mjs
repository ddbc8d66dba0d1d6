/**
 * What `npm run test:quick` runs: tests beside the files that have changed, the laws that may see the change, and then the tests of what
 * imports these files, nearest first, as far as a minute allows.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { testsByDistance } from './distance.mjs'
import { testsOf } from './files.mjs'
import { root } from './prepare.mjs'
import { readTimings } from './timings.mjs'

const contract = (...names) => names.map((name) => `test/contract/${name}`)
/** They read files alone. */
const readingLaws = contract('coverage', 'docs', 'import-law', 'matrix/table', 'presenters', 'reference-fields')
/** They ask each endpoint once or twice. */
const cheapLaws = contract('access', 'methods', 'openapi', 'pages.test', 'replies', 'shadowed-names')
/** They ask each endpoint many times: only what has changed. */
const thoroughLaws = contract('fuzz', 'hostile', 'matrix')
/** They look at the pages and what browsers load of them. */
const pageLaws = contract('asset-sizes', 'colours', 'page-addresses', 'pages-for-people', 'style-names')

/** Each is the beginning of the paths of its files. */
export const laws = [...readingLaws, ...cheapLaws, ...thoroughLaws, ...pageLaws]

/** For all tests together, at three workers: the rest of the minute goes into the start. */
const budget_s = 3 * 45
/** Of a file that is too short for the list of timings, with its share of what every file costs. */
const short_s = 0.7
const law_s = 3

/** Lists that a new thing is added to: such a line changes nothing for what stands in them already. */
const lists = /^src\/(features\/(index|subscribers|.*\.feature)|db\/(migrate|tables))\.ts$/

/**
 * The paths of test files, and those of the modules whose endpoints the laws are held against: null for all of them. Changed is what is
 * not committed, or else what the last commit changed.
 */
export function quickSelection() {
  const uncommitted = { changed: listed('diff', '--name-only', 'HEAD'), added: listed('ls-files', '--others', '--exclude-standard') }
  uncommitted.added.push(...listed('diff', '--name-only', '--diff-filter=A', 'HEAD'))
  if (uncommitted.changed.length + uncommitted.added.length > 0) return selectionOf(uncommitted)
  const inLastCommit = (...filter) => listed('diff', '--name-only', ...filter, 'HEAD~1', 'HEAD')
  return selectionOf({ changed: inLastCommit(), added: inLastCommit('--diff-filter=A') })
}

/** `added` are new files, which nothing used before; `changed` may have them, too. */
export function selectionOf({ changed, added }) {
  const all = [...new Set([...changed, ...added])].filter((file) => /^(src|test)\/.*\.ts$|\.md$/.test(file))
  const code = all.filter((file) => file.endsWith('.ts'))
  const besides = code.flatMap((file) => (file.endsWith('.test.ts') ? [file] : testsIn(dirname(file))))
  const sources = code.filter((file) => !file.endsWith('.test.ts'))
  const endpoints = [...new Set(sources.filter((file) => file.startsWith('src/features/')).map(dirname))].flatMap(endpointsIn)
  const hasPages = sources.some((file) => /^src\/(pages|web)\//.test(file))
  // What was there may be used by every endpoint.
  const isWider = sources.some((file) => /^(src\/(?!features\/|pages\/|web\/)|test\/support\/)/.test(file) && !isAddition(file, added))
  const certain = [
    ...besides.filter((file) => existsSync(join(root, file))),
    ...(all.length > 0 ? readingLaws : []),
    ...(isWider || endpoints.length > 0 ? cheapLaws : []),
    ...(!isWider && endpoints.length > 0 ? thoroughLaws : []),
    ...(hasPages ? pageLaws : []),
  ]
  // A change of lists of things is one of what is in them, and nearly all else imports these lists.
  const changedSources = sources.filter((file) => !lists.test(file))
  const { files, leftOut } = withinBudget([...new Set(certain)], testsByDistance(changedSources), isWider)
  return { files, endpoints: isWider || endpoints.length === 0 ? null : endpoints, isWider, leftOut }
}

/** The certain ones whatever they take, and of the others the first ones that fit. */
function withinBudget(certain, others, isWider) {
  const timings = readTimings()
  // A law that is held against the changed endpoints alone builds its fixtures, and asks little.
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
