/** Endpoints of service accounts, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { serviceAccounts } from './service-accounts.endpoints.ts'

export const serviceAccountsFeature = feature({ endpoints: section('Access tokens', serviceAccounts) })
