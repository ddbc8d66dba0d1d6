/** Prepares writes of invitations, feature flags, states and secure files, so that they succeed. */
import { addSecureFile } from '../../../src/features/ci/secure-files/secure-files.ts'
import { makeInvitation } from '../../support/fixtures/delivery-fixtures.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

let counter = 0

export function deliveryWrites({ forge, group, project }: ContractFixtures): Prepared {
  const at = `/projects/${project.id}`
  const root = forge.as(forge.root)
  const name = () => `fresh_${++counter}`
  const flag = async (): Promise<Write> => {
    const feature_flag_name = name()
    await root.post(`${at}/feature_flags`, { name: feature_flag_name })
    return { values: { feature_flag_name } }
  }
  const state = async (): Promise<Write> => {
    const state_name = name()
    await root.post(`${at}/terraform/state/${state_name}`, '{"serial":1}', { headers: { 'content-type': 'application/json' } })
    return { values: { state_name } }
  }
  const invited = async (place: { project_id: number } | { namespace_id: number }): Promise<Write> => {
    const invited_email = `${name()}@example.com`
    await makeInvitation(forge, place, invited_email)
    return { values: { invited_email } }
  }
  const ofProject = () => invited({ project_id: project.id })
  const ofGroup = () => invited({ namespace_id: group.id })
  const inviting = () => ({ body: { email: `${name()}@example.com`, access_level: 20 } })
  const isMarked = { marked_for_deletion_at: new Date().toISOString(), deletion_due_at: '2999-01-01T00:00:00.000Z' }
  return {
    async 'POST /projects/:id/restore'() {
      await forge.app.db.updateTable('projects').set(isMarked).where('id', '=', project.id).execute()
      return {}
    },
    async 'POST /groups/:id/restore'() {
      await forge.app.db.updateTable('namespaces').set(isMarked).where('id', '=', group.id).execute()
      return {}
    },
    'POST /groups/:id/archive': () => ({ after: () => root.post(`/groups/${group.id}/unarchive`) }),
    async 'POST /groups/:id/unarchive'() {
      const isArchived = { archived: true, archived_by_itself: true }
      await forge.app.db.updateTable('namespaces').set(isArchived).where('id', '=', group.id).execute()
      return {}
    },
    'POST /projects/:id/invitations': inviting,
    'POST /groups/:id/invitations': inviting,
    'DELETE /projects/:id/invitations/:invited_email': ofProject,
    'DELETE /groups/:id/invitations/:invited_email': ofGroup,
    'POST /projects/:id/feature_flags': () => ({ body: { name: name() } }),
    'DELETE /projects/:id/feature_flags/:feature_flag_name': flag,
    'POST /projects/:id/feature_flags_user_lists': () => ({ body: { name: name(), user_xids: 'ada' } }),
    async 'DELETE /projects/:id/feature_flags_user_lists/:user_list_iid'() {
      const { body } = await root.post(`${at}/feature_flags_user_lists`, { name: name(), user_xids: 'ada' })
      return { values: { user_list_iid: String(body.iid) } }
    },
    'POST /projects/:id/terraform/state/:state_name': () => ({ body: { serial: 2 }, values: { state_name: name() } }),
    'DELETE /projects/:id/terraform/state/:state_name': state,
    'POST /projects/:id/terraform/state/:state_name/lock': () => ({ body: { ID: 'a lock' }, values: { state_name: name() } }),
    'DELETE /projects/:id/terraform/state/:state_name/lock': state,
    'DELETE /projects/:id/terraform/state/:state_name/versions/:serial': state,
    async 'DELETE /projects/:id/secure_files/:secure_file_id'() {
      const { id } = await addSecureFile(forge.app, project.id, { name: name(), bytes: Buffer.from('key') })
      return { values: { secure_file_id: String(id) } }
    },
  }
}
