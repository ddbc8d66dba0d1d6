/** Prepares writes of OAuth, so that they succeed. */
import { anApplication, oauthToken, redirect_uri } from '../../support/oauth.ts'
import type { ContractFixtures } from './fixtures.ts'
import type { Prepared } from './writes.ts'

export function oauthWrites({ forge, insider }: ContractFixtures): Prepared {
  const client = async () => {
    const { client_id, client_secret } = await anApplication(forge)
    return { client_id, client_secret }
  }
  return {
    'POST /applications': () => ({ body: { name: 'Build server', redirect_uri, scopes: 'api' } }),
    'DELETE /applications/:application_id': async () => ({ values: { application_id: String((await anApplication(forge)).id) } }),
    'POST /oauth/token': async () => ({ body: { grant_type: 'client_credentials', ...(await client()) } }),
    'POST /oauth/revoke': async () => ({ body: { token: 'unknown', ...(await client()) } }),
    'POST /oauth/introspect': async () => ({ body: { token: 'unknown', ...(await client()) } }),
    'POST /oauth/authorize_device': async () => ({ body: await client() }),
    'POST /oauth/userinfo': async () => ({ token: await oauthToken(forge, insider.id, ['openid'], await anApplication(forge)) }),
  }
}
