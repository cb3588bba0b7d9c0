/**
 * What serverless.yml takes from TypeScript as `${file(infra/stack.cjs)}`. A `.cjs` file, as osls can load no ES module;
 * it only hands over to stack.ts.
 */
module.exports = async ({ resolveVariable }) => {
  const { stackOf } = await import('./stack.ts');
  try {
    return stackOf(await resolveVariable('sls:stage'), await resolveVariable("param:configDirectory, 'config'"));
  } catch (error) {
    // osls prints the stack trace: this error is for whoever wrote the file.
    if (error.name === 'StageConfigError') error.stack = error.message;
    throw error;
  }
};
