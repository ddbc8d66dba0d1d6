/** Endpoints of identities, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { identities } from './identities.endpoints.ts'

export const identitiesFeature = feature({ endpoints: section('Users', identities) })
