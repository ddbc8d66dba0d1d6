/** What `npm run test:quick` runs: tests beside the files that have changed, and the laws for the endpoints these declare. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './prepare.mjs'

const contract = (...names) => names.map((name) => `test/contract/${name}`)
/** They read the source, or ask each endpoint once or twice. */
const cheapLaws = contract('access', 'coverage', 'import-law', 'methods', 'openapi', 'pages', 'presenters', 'replies', 'shadowed-names')
/** They ask each endpoint many times. */
const thoroughLaws = contract('fuzz', 'hostile', 'matrix')
/** Each is the beginning of the paths of its files. */
export const laws = [...cheapLaws, ...thoroughLaws]

/**
 * The paths of test files, and those of the modules whose endpoints the laws are held against: null for all of them. Changed is what is
 * not committed, or else what the last commit changed.
 */
export function quickSelection() {
  const uncommitted = [...listed('diff', '--name-only', 'HEAD'), ...listed('ls-files', '--others', '--exclude-standard')]
  const changed = (uncommitted.length > 0 ? uncommitted : listed('diff', '--name-only', 'HEAD~1', 'HEAD')).filter((file) =>
    /^(src|test)\/.*\.ts$/.test(file),
  )
  const besides = changed.flatMap((file) => (file.endsWith('.test.ts') ? [file] : testsIn(dirname(file))))
  const files = besides.filter((file) => existsSync(join(root, file)))
  const features = changed.filter((file) => file.startsWith('src/features/') && !file.endsWith('.test.ts'))
  const isWider = changed.some(
    (file) => /^(src\/(?!features\/)|src\/features\/index|test\/support\/)/.test(file) && !file.endsWith('.test.ts'),
  )
  const endpoints = [...new Set(features.map(dirname))].flatMap(endpointsIn)
  const all = [...files, ...(isWider || features.length > 0 ? cheapLaws : []), ...(!isWider && endpoints.length > 0 ? thoroughLaws : [])]
  return { files: [...new Set(all)], endpoints: isWider || endpoints.length === 0 ? null : endpoints }
}

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
