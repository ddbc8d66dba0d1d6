/** Endpoints and jobs of OAuth 2.0 and OpenID Connect, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { oauthEndpoints } from './oauth.endpoints.ts'
import { oauthJobs } from './oauth.jobs.ts'
import { openIdEndpoints } from './openid.endpoints.ts'
import { registrationEndpoints } from './registration.endpoints.ts'

export const oauthFeature = feature({
  endpoints: section('OAuth', oauthEndpoints, registrationEndpoints, openIdEndpoints),
  jobs: oauthJobs,
})
