/** Prepares writes of webhooks and integrations, so that they succeed. */
import { now } from '../../../src/db/instants.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

export function hookWrites({ forge, project, group, values }: ContractFixtures): Prepared {
  /** As if it had failed finally. */
  const delivery = async (hook_id: number): Promise<Write> => {
    const at = now()
    const { db } = forge.app
    const payload = await db
      .insertInto('hook_payloads')
      .values({ event: 'Push Hook', body: '{}', facts: null, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { id } = await db
      .insertInto('hook_deliveries')
      .values({ hook_id, payload_id: payload.id, uuid: 'u', event: 'Push Hook', state: 'failed', due_at: at, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { values: { hook_event_id: String(id) } }
  }
  const named =
    (kind: 'custom_headers' | 'url_variables', hook: 'hook_id' | 'group_hook_id' | 'system_hook_id') => async (): Promise<Write> => {
      const at = { hook_id: `/projects/${project.id}/hooks`, group_hook_id: `/groups/${group.id}/hooks`, system_hook_id: '/hooks' }[hook]
      await forge.as(forge.root).put(`${at}/${values[hook]}/${kind}/a_name`, { value: 'a-value' })
      return { values: { hook_value: 'a_name' } }
    }
  const triggered = async (): Promise<Write> => {
    await forge.as(forge.root).put(`/projects/${project.id}/services/slack-slash-commands`, { token: 'a-chat-token' })
    return { body: { token: 'a-chat-token' }, values: { integration: 'slack-slash-commands' } }
  }
  return {
    'DELETE /projects/:id/hooks/:hook_id/custom_headers/:key': named('custom_headers', 'hook_id'),
    'DELETE /projects/:id/hooks/:hook_id/url_variables/:key': named('url_variables', 'hook_id'),
    'DELETE /groups/:id/hooks/:hook_id/custom_headers/:key': named('custom_headers', 'group_hook_id'),
    'DELETE /groups/:id/hooks/:hook_id/url_variables/:key': named('url_variables', 'group_hook_id'),
    'DELETE /hooks/:hook_id/custom_headers/:key': named('custom_headers', 'system_hook_id'),
    'DELETE /hooks/:hook_id/url_variables/:key': named('url_variables', 'system_hook_id'),
    'PUT /projects/:id/services/:slug': () => ({ body: { api_key: 'a-key' } }),
    'PUT /projects/:id/integrations/:slug': () => ({ body: { api_key: 'a-key' } }),
    'POST /projects/:id/hooks/:hook_id/events/:hook_event_id/resend': () => delivery(Number(values.hook_id)),
    'POST /projects/:id/services/:slug/trigger': triggered,
    'POST /projects/:id/integrations/:slug/trigger': triggered,
    'POST /projects/:id/services/:slug/events/:hook_event_id/resend': async () => {
      const { db } = forge.app
      const hook = await db
        .selectFrom('hooks')
        .select('id')
        .where('integration_id', 'is not', null)
        .where('project_id', '=', project.id)
        .orderBy('id')
        .executeTakeFirstOrThrow()
      return delivery(hook.id)
    },
    'POST /groups/:id/hooks/:hook_id/events/:hook_event_id/resend': () => delivery(Number(values.group_hook_id)),
    'POST /hooks/:hook_id/events/:hook_event_id/resend': () => delivery(Number(values.system_hook_id)),
  }
}
