/** Endpoints of states of OpenTofu and Terraform, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { terraformStates } from './terraform-states.endpoints.ts'

export const terraformStatesFeature = feature({ endpoints: section('Terraform states', terraformStates) })
