/** Feature flags of projects in JSON. */
import { type Static, Type } from 'typebox'
import type { FlagUserList } from '../../../db/tables.ts'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import type { WholeFlag } from './flags.queries.ts'
import { strategyNames } from './strategies.ts'

const texts = Type.Record(Type.String(), Type.String())

export const FlagUserListResource = resource('FeatureFlagUserList', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  name: Type.String(),
  user_xids: Type.String({ description: 'Ids of users of the program that asks, with commas between them' }),
  created_at: Instant,
  updated_at: Instant,
})

export const ProjectFlagResource = resource('ProjectFeatureFlag', {
  name: Type.String(),
  description: Type.String(),
  active: Type.Boolean(),
  version: oneOf('new_version_flag'),
  created_at: Instant,
  updated_at: Instant,
  scopes: Type.Array(Type.Object({}), { description: 'Of flags of an older kind: none' }),
  strategies: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: oneOf(...strategyNames),
      parameters: texts,
      scopes: Type.Array(Type.Object({ id: Type.Integer(), environment_scope: Type.String() })),
      user_list: nullable(Type.Object({ id: Type.Integer(), iid: Type.Integer(), name: Type.String(), user_xids: Type.String() })),
    }),
  ),
})

export const ServedFlags = resource('UnleashFeatures', {
  version: Type.Integer(),
  features: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      enabled: Type.Boolean(),
      strategies: Type.Array(Type.Object({ name: Type.String(), parameters: texts })),
    }),
  ),
})

export function presentFlag({ name, description, active, created_at, updated_at, strategies }: WholeFlag) {
  return {
    name,
    description,
    active,
    version: 'new_version_flag' as const,
    created_at,
    updated_at,
    scopes: [],
    strategies: strategies.map((strategy) => ({
      id: strategy.id,
      name: strategy.name,
      parameters: strategy.parameters,
      scopes: strategy.scopes.map(({ id, environment_scope }) => ({ id, environment_scope })),
      user_list: strategy.user_list && {
        id: strategy.user_list.id,
        iid: strategy.user_list.iid,
        name: strategy.user_list.name,
        user_xids: strategy.user_list.user_xids,
      },
    })),
  }
}

export function presentUserList(list: FlagUserList): Static<typeof FlagUserListResource> {
  const { id, iid, project_id, name, user_xids, created_at, updated_at } = list
  return { id, iid, project_id, name, user_xids, created_at, updated_at }
}
