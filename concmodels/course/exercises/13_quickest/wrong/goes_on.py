"""Diagnosis: a task goes on, though its answer does not matter any more"""

import threading


def quickest(model, functions, seconds):
    answers = model.Channel(len(functions), "answers")
    for function in functions:
        threading.Thread(target=lambda function=function: answers.send(function()), daemon=True).start()
    return answers.receive(seconds)
