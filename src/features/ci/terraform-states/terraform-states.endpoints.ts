/** States of OpenTofu and Terraform, as their backend `http` reads, writes and locks them. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { TerraformState, TerraformVersion } from '../../../db/tables.ts'
import { tooLarge } from '../../../failure.ts'
import { endpoint, type RawReply, streamEndpoint } from '../../../http/declare/endpoint.ts'
import { nameInPath, none, resource } from '../../../http/parameters/schema.ts'
import { readUpTo } from '../../storage/object-storage/object-storage.ts'
import { stateSeen, statesWritten, stateWritten, versionSeen, versionWritten } from './terraform-states.access.ts'
import {
  lastVersionOf,
  lockState,
  maxState_bytes,
  readVersion,
  removeState,
  removeVersion,
  unlockState,
  writeState,
} from './terraform-states.service.ts'

const Done = resource('TerraformDone', {})

const at = 'projects/:id/terraform/state/:state_name' as const
const params = { state_name: nameInPath('Name of the state') }
const lockId = Type.Optional(Type.String({ description: 'Of the lock that the client holds' }))
const said = (what: string) => Type.String({ default: '', description: what })

export const terraformStates = [
  streamEndpoint(`GET /${at}`, {
    summary: 'Get a state of OpenTofu or Terraform',
    access: stateSeen,
    jobTokens: true,
    basicAuth: true,
    query: { ID: lockId },
    async handle({ app, state }) {
      return replyOf(app, state, await lastVersionOf(app, state))
    },
  }),
  endpoint(`POST /${at}`, {
    summary: 'Write a version of a state',
    access: statesWritten,
    jobTokens: true,
    basicAuth: true,
    params,
    query: { ID: lockId },
    bytes: { description: 'The state, as JSON', held_bytes: maxState_bytes },
    reply: Done,
    status: 200,
    fails: ['conflict'],
    async handle({ app, project, user, params, query, content }) {
      const bytes = await readUpTo(await content(), maxState_bytes)
      if (bytes === null) throw tooLarge()
      await writeState(app, { project_id: project.id, name: params.state_name, user }, { content: bytes, lock_id: query.ID })
      return {}
    },
  }),
  endpoint(`DELETE /${at}`, {
    summary: 'Delete a state with all its versions',
    access: stateWritten,
    jobTokens: true,
    basicAuth: true,
    reply: Done,
    status: 200,
    fails: ['conflict'],
    lastChanged: ({ state }) => state.updated_at,
    async handle({ app, state }) {
      await removeState(app, state)
      return {}
    },
  }),
  endpoint(`POST /${at}/lock`, {
    summary: 'Lock a state',
    access: statesWritten,
    jobTokens: true,
    basicAuth: true,
    params,
    body: {
      ID: Type.String({ description: 'Chosen by the client' }),
      Operation: said('What it is about to do'),
      Info: said('More about it'),
      Who: said('User and machine'),
      Version: said('Version of the client'),
      Created: said('When it asked'),
      Path: said('Where its state is'),
    },
    reply: Done,
    status: 200,
    fails: ['conflict'],
    async handle({ app, project, user, params, body }) {
      await lockState(app, { project_id: project.id, name: params.state_name, user }, body)
      return {}
    },
  }),
  endpoint(`DELETE /${at}/lock`, {
    summary: 'Unlock a state',
    access: stateWritten,
    jobTokens: true,
    basicAuth: true,
    body: { ID: Type.Optional(Type.String({ description: 'Of the lock; without it the lock is taken from whoever holds it' })) },
    reply: Done,
    status: 200,
    fails: ['conflict'],
    async handle({ app, state, body }) {
      await unlockState(app, state, body.ID)
      return {}
    },
  }),
  streamEndpoint(`GET /${at}/versions/:serial`, {
    summary: 'Get a version of a state',
    access: versionSeen,
    jobTokens: true,
    basicAuth: true,
    handle: ({ app, state, version }) => replyOf(app, state, version),
  }),
  endpoint(`DELETE /${at}/versions/:serial`, {
    summary: 'Delete a version of a state',
    access: versionWritten,
    jobTokens: true,
    basicAuth: true,
    reply: none,
    fails: ['conflict'],
    lastChanged: ({ version }) => version.created_at,
    async handle({ app, state, version }) {
      await removeVersion(app, state, version)
      return null
    },
  }),
]

function replyOf(app: App, state: TerraformState, version: TerraformVersion): RawReply {
  return {
    held_bytes: version.size,
    describe: () => ({ type: 'application/json', 'cache-control': 'no-store' }),
    open: () => readVersion(app, state, version),
  }
}
