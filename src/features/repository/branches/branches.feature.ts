/** Endpoints of branches, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { branches } from './branches.endpoints.ts'

export const branchesFeature = feature({ endpoints: section('Branches', branches) })
