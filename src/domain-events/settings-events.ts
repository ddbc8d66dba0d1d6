/** Events of the settings of the instance. */

export interface SettingsChanged {
  type: 'settings_changed'
  /** The settings that were sent, changed or not. */
  names: string[]
  /** Those of them that have another value now. */
  changed: string[]
}
