/** Prepares writes of service accounts, so that they succeed. */
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

const token = { name: 'fresh', scopes: ['api'] }

/** @param idOf creates something there, and returns its id */
export function accountWrites({ group, project }: ContractFixtures, idOf: (path: string, body: unknown) => Promise<string>): Prepared {
  const of = (kind: 'project' | 'group'): Prepared => {
    const at = `/${kind}s/${kind === 'project' ? project.id : group.id}/service_accounts`
    const declared = `/${kind}s/:id/service_accounts/:user_id`
    const withToken = async (): Promise<Write> => {
      const account = await idOf(at, {})
      const token_id = await idOf(`${at}/${account}/personal_access_tokens`, token)
      return { values: { [`${kind}_account_id`]: account, [`${kind}_account_token_id`]: token_id } }
    }
    return {
      [`PATCH ${declared}`]: () => ({ body: { name: 'Renamed' } }),
      [`DELETE ${declared}`]: withToken,
      [`POST ${declared}/personal_access_tokens`]: () => ({ body: token }),
      [`POST ${declared}/personal_access_tokens/:token_id/rotate`]: withToken,
      [`DELETE ${declared}/personal_access_tokens/:token_id`]: withToken,
    }
  }
  return { 'PATCH /service_accounts/:user_id': () => ({ body: { name: 'Renamed' } }), ...of('project'), ...of('group') }
}
