/** The order of test files: project by project, the longest first by `test/timings.txt`, so that no processor idles at the end. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { root } from './prepare.mjs'

/** A worker serves one project: each of them starts workers of its own. The one with the shortest files is last. */
const projects = ['browser', 'postgres', 'sqlite']

export default class LongestFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const seconds = readTimings()
    const time = (/** @type {import('vitest/node').TestSpecification} */ file) =>
      seconds.get(keyOf(file.project.name, relative(root, file.moduleId))) ?? 0
    return [...files].sort(
      (a, b) =>
        projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || time(b) - time(a) || (a.moduleId < b.moduleId ? -1 : 1),
    )
  }
}

/** Seconds by project and file; files that take less than a second are not in the list. */
function readTimings() {
  const lines = readFileSync(join(root, 'test', 'timings.txt'), 'utf8').split('\n')
  return new Map(
    lines.filter(Boolean).map((line) => {
      const [project, file, seconds] = line.split(' ')
      return [keyOf(project, file), Number(seconds)]
    }),
  )
}

/** @param {string | undefined} project @param {string | undefined} file */
function keyOf(project, file) {
  return `${project} ${file}`
}
