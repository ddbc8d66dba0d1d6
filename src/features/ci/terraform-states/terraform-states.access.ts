/** Access to the Terraform states of a project, for endpoints and pages. */
import { Type } from 'typebox'
import { type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath } from '../../../http/parameters/schema.ts'
import { getState, getVersion } from './terraform-states.service.ts'

const inPath = nested({ state_name: nameInPath('Name of the state') }, async ({ project }: ProjectGranted, { state_name }, app) => ({
  state: await getState(app, project.id, state_name),
}))
type StateGranted = ProjectGranted & Awaited<ReturnType<typeof inPath.load>>

const Serial = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const versionInPath = nested({ serial: Serial }, async ({ state }: StateGranted, { serial }, app) => ({
  version: await getVersion(app, state, serial),
}))

/** A state may hold secrets of what it describes. */
export const statesSeen = using('builds', project('read_terraform_states'))
export const statesWritten = unarchived(using('builds', project('write_terraform_states')))
export const stateSeen = within(statesSeen, inPath)
export const stateWritten = within(statesWritten, inPath)
export const versionSeen = within(stateSeen, versionInPath)
export const versionWritten = within(stateWritten, versionInPath)
