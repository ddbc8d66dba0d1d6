/** Endpoints of code owners, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { codeOwners } from './code-owners.endpoints.ts'

export const codeOwnersFeature = feature({ endpoints: section('Repository', codeOwners) })
