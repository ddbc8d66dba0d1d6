/** Endpoints of protected environments, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { protectedEnvironments } from './protected-environments.endpoints.ts'

export const protectedEnvironmentsFeature = feature({ endpoints: section('Environments', protectedEnvironments) })
