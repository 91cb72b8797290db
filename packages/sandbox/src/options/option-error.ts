/** A value that the sandbox cannot be started with. The message names the option and says what fits. */
export class OptionError extends TypeError {
  readonly option: string

  constructor(option: string, message: string) {
    super(`${option} ${message}`)
    this.name = 'OptionError'
    this.option = option
  }
}
