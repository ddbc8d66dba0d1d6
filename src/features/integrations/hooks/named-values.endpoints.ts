/** Custom headers and URL variables of webhooks, one by one: of projects, groups and the instance. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { Hook } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { managers, onProjectOrGroup, onProjectsAndGroups } from '../../../http/declare/places.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { nameInPath, none } from '../../../http/parameters/schema.ts'
import { hookInPath, systemHookInPath } from './hooks.access.ts'
import { changeValues } from './hooks.service.ts'
import { type ValueKind, withoutValue, withValues } from './named-values.ts'

const body = { value: Type.String({ description: 'Never returned' }) }
const params = {
  header: { key: nameInPath('Name of the header') },
  variable: { key: nameInPath('Name of the variable, as `{name}` in the URL names it') },
}

interface Named {
  app: App
  hook: Hook
  params: { key: string }
}

function setValue(kind: ValueKind) {
  return async ({ app, hook, params: { key }, body: { value } }: Named & { body: { value: string } }): Promise<null> => {
    await changeValues(app, hook, kind, (earlier) => withValues(kind, earlier, [{ key, value }]))
    return null
  }
}

function removeValue(kind: ValueKind) {
  return async ({ app, hook, params: { key } }: Named): Promise<null> => {
    await changeValues(app, hook, kind, (earlier) => withoutValue(kind, earlier, key))
    return null
  }
}

const placed = onProjectsAndGroups((kind) => {
  const access = within(onProjectOrGroup(kind, managers), hookInPath)
  return [
    endpoint(`PUT /${kind}s/:id/hooks/:hook_id/custom_headers/:key`, {
      summary: `Set a header of a webhook of a ${kind}`,
      access,
      params: params.header,
      body,
      reply: none,
      handle: setValue('custom_headers'),
    }),
    endpoint(`DELETE /${kind}s/:id/hooks/:hook_id/custom_headers/:key`, {
      summary: `Remove a header of a webhook of a ${kind}`,
      access,
      params: params.header,
      reply: none,
      lastChanged: ({ hook }) => hook.updated_at,
      handle: removeValue('custom_headers'),
    }),
    endpoint(`PUT /${kind}s/:id/hooks/:hook_id/url_variables/:key`, {
      summary: `Set a URL variable of a webhook of a ${kind}`,
      access,
      params: params.variable,
      body,
      reply: none,
      handle: setValue('url_variables'),
    }),
    endpoint(`DELETE /${kind}s/:id/hooks/:hook_id/url_variables/:key`, {
      summary: `Remove a URL variable of a webhook of a ${kind}`,
      access,
      params: params.variable,
      reply: none,
      lastChanged: ({ hook }) => hook.updated_at,
      handle: removeValue('url_variables'),
    }),
  ]
})

const access = within(administrator(), systemHookInPath)

const ofSystem = [
  endpoint('PUT /hooks/:hook_id/custom_headers/:key', {
    summary: 'Set a header of a system hook',
    access,
    params: params.header,
    body,
    reply: none,
    handle: setValue('custom_headers'),
  }),
  endpoint('DELETE /hooks/:hook_id/custom_headers/:key', {
    summary: 'Remove a header of a system hook',
    access,
    params: params.header,
    reply: none,
    lastChanged: ({ hook }) => hook.updated_at,
    handle: removeValue('custom_headers'),
  }),
  endpoint('PUT /hooks/:hook_id/url_variables/:key', {
    summary: 'Set a URL variable of a system hook',
    access,
    params: params.variable,
    body,
    reply: none,
    handle: setValue('url_variables'),
  }),
  endpoint('DELETE /hooks/:hook_id/url_variables/:key', {
    summary: 'Remove a URL variable of a system hook',
    access,
    params: params.variable,
    reply: none,
    lastChanged: ({ hook }) => hook.updated_at,
    handle: removeValue('url_variables'),
  }),
]

export const namedValues = [...placed, ...ofSystem]
