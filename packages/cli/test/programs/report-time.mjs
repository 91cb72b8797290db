import process from 'node:process'

// Loaded with --import: reports the processor time of the program that follows.
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write(`\n${user + system}`)
})
