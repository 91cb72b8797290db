/** An invalid value of an option. The message names the option and its valid values. */
export class OptionError extends TypeError {
  readonly code = 'invalid_option'
  readonly option: string

  constructor(option: string, message: string) {
    super(`${option} ${message}`)
    this.name = 'OptionError'
    this.option = option
  }
}
