// One board: which of its faces is drawn, the script says.

const FACES = { classes: makeClasses, sets: makeSets };

function show(component) {
  const board = takeUp(component, FACES[component.data.kind]);
  if (board) return () => board.observer.disconnect();
}
