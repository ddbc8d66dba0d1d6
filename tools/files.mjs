/** The source files and test files of the project. */
import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/**
 * Paths below a folder, with slashes, sorted; without `node_modules`.
 * @param {string} folder
 * @param {(path: string) => boolean} isWanted
 */
export function filesIn(folder, isWanted) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'))
  return names.filter((name) => !/(^|\/)node_modules\//.test(name) && isWanted(name)).sort()
}

/** @param {string} path */
export function isSource(path) {
  return /(?<!\.(test|d))\.ts$/.test(path)
}

/** @param {string} path */
export function isTest(path) {
  return path.endsWith('.test.ts')
}

/**
 * Source files of the program, and files of tests, from the root of the project.
 * @param {string} root
 */
export function sourcesOf(root) {
  return filesIn(join(root, 'src'), isSource).map((name) => `src/${name}`)
}

/** @param {string} root */
export function testsOf(root) {
  return ['src', 'test'].flatMap((folder) => filesIn(join(root, folder), isTest).map((name) => `${folder}/${name}`))
}
