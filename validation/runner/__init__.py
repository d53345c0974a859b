"""What `limbless validate` does with the cases beside this folder: what they claim, how they are run, and the page that
shows how they came out.
"""
