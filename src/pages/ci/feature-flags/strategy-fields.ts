/** The fields of a form that say whom a feature flag is on for, and the strategy they mean. */

import { invalid } from '../../../failure.ts'
import { t } from '../../../html/sentences.ts'

export interface Audience {
  audience: 'default' | 'userWithId' | 'flexibleRollout'
  users: string
  percent: string
  environments: string
}

/** Throws 400 for a percentage that is none, and for no users. */
export function strategyFrom({ audience, users, percent, environments }: Audience) {
  const scopes = partsOf(environments).map((environment_scope) => ({ environment_scope }))
  return { name: audience, parameters: parametersOf({ audience, users, percent }), scopes: scopes.length === 0 ? undefined : scopes }
}

function parametersOf({ audience, users, percent }: Omit<Audience, 'environments'>): Record<string, string> {
  switch (audience) {
    case 'default':
      return {}
    case 'userWithId': {
      const ids = partsOf(users)
      if (ids.length === 0) throw invalid({ users: [t`can't be blank`] })
      return { userIds: ids.join(',') }
    }
    case 'flexibleRollout':
      if (!/^(?:100|[1-9]?\d)$/.test(percent.trim())) throw invalid({ percent: [t`must be a number from 0 to 100`] })
      return { groupId: 'default', rollout: percent.trim(), stickiness: 'default' }
  }
}

function partsOf(typed: string): string[] {
  return [...new Set(typed.split(',').map((part) => part.trim()))].filter((part) => part !== '')
}
