/** Prepares writes of mirrors, so that they succeed. */
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared } from './writes.ts'

export function mirrorWrites({ forge, project, values }: ContractFixtures): Prepared {
  const setEnabled = (enabled: boolean) =>
    forge.app.db.updateTable('push_mirrors').set({ enabled }).where('id', '=', Number(values.mirror_id)).execute()
  const setPulling = (enabled: boolean) =>
    forge.app.db.updateTable('pull_mirrors').set({ enabled }).where('project_id', '=', project.id).execute()
  return {
    'PUT /projects/:id/mirror/pull': () => ({ body: { url: 'ssh://git@93.184.216.34/other.git', enabled: false } }),
    'POST /projects/:id/mirror/pull': async () => {
      await setPulling(true)
      return { after: () => setPulling(false) }
    },
    'POST /projects/:id/remote_mirrors': () => ({ body: { url: 'https://93.184.216.34/other.git' } }),
    'POST /projects/:id/remote_mirrors/:mirror_id/sync': async () => {
      await setEnabled(true)
      return { after: () => setEnabled(false) }
    },
  }
}
