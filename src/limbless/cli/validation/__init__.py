"""The cases of the folder `validation/`: what they claim, how they are run, and the page that shows how they came out."""
