/** Endpoints of namespaces, for the table of contents. */
import { section } from '../../http/declare/endpoint.ts'
import { feature } from '../feature.ts'
import { namespaces } from './namespaces.endpoints.ts'

export const namespacesFeature = feature({ endpoints: section('Namespaces', namespaces) })
