/** The default branch: stored in the row of the project; HEAD, the README and the counts follow. */
import type { App } from '../../../app.ts'
import { findReadme } from '../../../git/history/readme.ts'
import { setHead } from '../../../git/refs/head.ts'
import { defaultBranchOf, noteReadme } from './projects.queries.ts'

/**
 * Points HEAD of the repository at the branch in the row, and stores the name of its README. Both agree in the end, however many requests
 * change the branch at once.
 */
export async function followDefaultBranch(app: App, id: number): Promise<void> {
  const repo = app.git.open(id)
  for (;;) {
    const branch = await defaultBranchOf(app.db, id)
    if (branch === null) return
    await setHead(repo, branch)
    if (await noteReadme(app.db, id, branch, await findReadme(repo))) return
  }
}
