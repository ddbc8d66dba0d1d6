/** Endpoints of applications, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { oauthApplications } from './oauth-applications.endpoints.ts'

export const oauthApplicationsFeature = feature({ endpoints: section('Applications', oauthApplications) })
