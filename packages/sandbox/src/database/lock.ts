import Libsql from 'libsql'

/**
 * Takes the lock of a database file and returns a function that releases it. The system releases it when the process ends,
 * also after kill -9. Throws with the code `SQLITE_BUSY` if another process has it.
 *
 * The lock is a transaction on a separate file beside the database. A lock on the database itself would outlive `close`,
 * because the driver keeps the file open until its statements are collected.
 */
export function lockFile(file: string): () => void {
  const driver = new Libsql(`${file}-lock`)
  try {
    driver.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    driver.close()
    throw error
  }
  return () => {
    driver.exec('ROLLBACK')
    driver.close()
  }
}
