/** The order of test files: project by project, longest first according to `test/timings.txt`, so that no processor is idle at the end. */
import { relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import { root } from './prepare.mjs'
import { readTimings } from './timings.mjs'

/** A worker serves one project: each project starts workers of its own. The one with the shortest files is last. */
const projects = ['postgres', 'sqlite']

export default class LongestFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const seconds = readTimings()
    const time = (/** @type {import('vitest/node').TestSpecification} */ file) =>
      seconds.get(`${file.project.name} ${relative(root, file.moduleId)}`) ?? 0
    return [...files].sort(
      (a, b) =>
        projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || time(b) - time(a) || (a.moduleId < b.moduleId ? -1 : 1),
    )
  }
}
