/** CI variables in JSON. */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

export const variableTypes = ['env_var', 'file'] as const

const shown = {
  variable_type: oneOf(...variableTypes),
  key: Type.String(),
  value: nullable(Type.String({ description: 'Null of a hidden variable' })),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean({ description: 'Whether `$` in the value stands for itself' }),
  description: nullable(Type.String()),
}

/** A variable of a project or group. */
export const Variable = resource('Variable', { ...shown, hidden: Type.Boolean(), environment_scope: Type.String() })
export const InstanceVariable = resource('InstanceVariable', shown)
